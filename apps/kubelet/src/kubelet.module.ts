import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import { kubeletControllers } from '#libs/kubelet';

@Injectable()
export class KubeletService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'kubelet', options, kubeletControllers(options.kubelet));
  }
}

/** The kubelets of all simulated nodes. Needs the ControlPlaneModule beside it. */
@Module({ providers: [KubeletService] })
export class KubeletModule {}
