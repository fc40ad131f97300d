import { hostname, networkInterfaces } from 'node:os';
import { Inject, Injectable, Logger, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import {
  ApiserverOptions,
  AppOptions,
  ControllerHost,
  CONTROLLERS,
  PAST_SOURCE,
  provideControllers,
  ServerAddress,
  type PastSource,
} from '#libs/app-shell';
import { ClusterRuntime, reconcilerController, Writer, type Controller } from '#libs/control-loop';
import type { AdmissionConfiguration } from '#libs/kube-api';
import { apiserverReconcilers } from '#libs/controllers/apiserver';
import { Aggregation } from './aggregation/aggregation';
import { apiserverProviders } from './apiserver.providers';
import { ensureAccessPolicy } from './bootstrap/access-policy';
import { configureAdmission } from './bootstrap/configure-admission';
import { bootstrapCluster } from './bootstrap/bootstrap-cluster';
import { deletionFinisher } from './deletion/deletion-finisher';
import { ApiServer } from './http/api-server';
import { LiveCluster } from './serving/live-cluster';

/** What is asked first of a process that has just started does not wait for the files of the past, ms; until then the past is read from the log. */
const pastAfterMs = 250;

/** Serves the Kubernetes API for as long as the process lives. */
@Injectable()
export class ApiserverService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('apiserver');
  private isClosing = false;
  private pastTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly options: ApiserverOptions,
    private readonly live: LiveCluster,
    private readonly server: ApiServer,
    private readonly address: ServerAddress,
    @Inject(PAST_SOURCE) private readonly openPast: PastSource,
    private readonly aggregation: Aggregation,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { ca, port, frontProxy } = this.options;
    await bootstrapCluster(this.runtime, this.writer, {
      ca,
      frontProxyCa: frontProxy?.ca,
      port,
      host: hostname(),
      address: advertisedAddress(),
    });
    await configureAdmission(this.runtime, this.options.admission as AdmissionConfiguration | undefined);
    const [listening] = await Promise.all([
      this.server.listen(),
      ensureAccessPolicy(this.runtime, this.writer),
      this.options.metricsServer ? this.registerMetricsServer() : undefined,
    ]);
    this.address.port = listening;
    this.aggregation.watch(this.runtime, this.writer, (error) => this.logger.error(error.stack ?? error.message));
    this.pastTimer = setTimeout(() => void this.keepPast(), pastAfterMs);
  }

  /** Few processes register one. */
  private async registerMetricsServer(): Promise<void> {
    const { registerMetricsServer } = await import('./metrics-server/register-metrics-server.js');
    await registerMetricsServer(this.runtime, this.writer);
  }

  /** A cache: where nothing can be kept, the past is read from the first event on. */
  private async keepPast(): Promise<void> {
    const failed = (error: Error): void =>
      this.logger.warn(`nothing more is kept of the past, so reading it takes longer: ${error.message}`);
    try {
      const kept = await this.openPast();
      if (kept) await this.live.keepPast(kept, failed);
    } catch (error) {
      if (!this.isClosing) failed(error as Error);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.pastTimer);
    await this.server.close();
    this.aggregation.close();
    await this.live.close();
  }
}

/** The first address by which others can reach this host; upstream advertises that of the interface of its default route. */
function advertisedAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** The controllers that run in the API server's process. */
export function apiserverControllers(): Controller[] {
  return [reconcilerController(deletionFinisher) as unknown as Controller, ...apiserverReconcilers()];
}

@Injectable()
export class ApiserverControllers extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, options: AppOptions, @Inject(CONTROLLERS) controllers: readonly Controller[]) {
    super(runtime, writer, 'apiserver', options, controllers);
  }
}

/** The Kubernetes API over HTTPS: requests become events, projections answer reads. Needs the ControlPlaneModule beside it. */
@Module({ providers: [...apiserverProviders, provideControllers(apiserverControllers), ApiserverService, ApiserverControllers] })
export class ApiserverModule {}
