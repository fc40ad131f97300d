import { Inject, Injectable, Logger, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, ServerAddress, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, reconcilerController, Writer, type Controller } from '#libs/control-loop';
import { ApiHandler } from './api-handler';
import { Authenticator } from './authentication/authenticator';
import { bootstrapCluster } from './bootstrap/bootstrap-cluster';
import { deletionFinisher } from './deletion/deletion-finisher';
import { DerivedEventWriter } from './events-api/derived-event-writer';
import { ApiServer } from './http/api-server';
import { LiveCluster } from './serving/live-cluster';

/** Serves the Kubernetes API for as long as the process lives. */
@Injectable()
export class ApiserverService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('apiserver');
  private live: LiveCluster | undefined;
  private server: ApiServer | undefined;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    @Inject(APP_OPTIONS) private readonly options: AppOptions,
    private readonly address: ServerAddress,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { runtime, writer } = this;
    const { apiserver } = this.options;
    if (!apiserver) throw new Error('the API server has no settings: where to listen, its certificate, the token of its administrator');
    const live = new LiveCluster(runtime, writer);
    this.live = live;
    let lost: string | undefined;
    runtime.lost$.subscribe((error) => (lost = error.message));
    const trouble = async (): Promise<string | undefined> => {
      const availability = await runtime.options.log.check();
      return lost ?? (availability.available ? undefined : availability.reason);
    };
    await bootstrapCluster(runtime, writer, { ca: apiserver.ca, port: apiserver.port });
    const authenticator = new Authenticator(apiserver.token);
    const handler = new ApiHandler({ runtime, live, writer: new DerivedEventWriter(writer, live), trouble });
    this.server = new ApiServer(apiserver, handler, authenticator, (error) => this.logger.error(error.stack ?? error.message));
    this.address.port = await this.server.listen();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.server?.close();
    this.live?.close();
  }
}

/** What the API server does unasked. */
export function apiserverControllers(): Controller[] {
  return [reconcilerController(deletionFinisher) as unknown as Controller];
}

@Injectable()
export class ApiserverControllers extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'apiserver', options, apiserverControllers());
  }
}

/** The Kubernetes API over HTTPS: requests become events, projections answer reads. Needs the ControlPlaneModule beside it. */
@Module({ providers: [ApiserverService, ApiserverControllers] })
export class ApiserverModule {}
