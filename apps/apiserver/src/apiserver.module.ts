import { Inject, Injectable, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ApiserverOptions, AppOptions, ControllerHost, CONTROLLERS, provideControllers, ServerAddress } from '#libs/app-shell';
import { ClusterRuntime, reconcilerController, Writer, type Controller } from '#libs/control-loop';
import { apiserverProviders } from './apiserver.providers';
import { bootstrapCluster } from './bootstrap/bootstrap-cluster';
import { deletionFinisher } from './deletion/deletion-finisher';
import { ApiServer } from './http/api-server';
import { LiveCluster } from './serving/live-cluster';

/** Serves the Kubernetes API for as long as the process lives. */
@Injectable()
export class ApiserverService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly options: ApiserverOptions,
    private readonly live: LiveCluster,
    private readonly server: ApiServer,
    private readonly address: ServerAddress,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { ca, port } = this.options;
    await bootstrapCluster(this.runtime, this.writer, { ca, port });
    this.address.port = await this.server.listen();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.server.close();
    this.live.close();
  }
}

/** What the API server does unasked. */
export function apiserverControllers(): Controller[] {
  return [reconcilerController(deletionFinisher) as unknown as Controller];
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
