import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import { controllerManagerControllers } from '#libs/controllers/controller-manager';

@Injectable()
export class ControllerManagerService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'controller-manager', options, controllerManagerControllers(options));
  }
}

/** Workload controllers, garbage collection, namespaces, accounts, nodes. Needs the ControlPlaneModule beside it. */
@Module({ providers: [ControllerManagerService] })
export class ControllerManagerModule {}
