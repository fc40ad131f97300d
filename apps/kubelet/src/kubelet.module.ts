import { Inject, Injectable, Module } from '@nestjs/common';
import { AppOptions, ControllerHost, CONTROLLERS, provideControllers } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { kubeletControllers } from '#libs/kubelet';

@Injectable()
export class KubeletService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, options: AppOptions, @Inject(CONTROLLERS) controllers: readonly Controller[]) {
    super(runtime, writer, 'kubelet', options, controllers);
  }
}

/** The kubelets of all simulated nodes. Needs the ControlPlaneModule beside it. */
@Module({ providers: [provideControllers(({ kubelet }) => kubeletControllers(kubelet)), KubeletService] })
export class KubeletModule {}
