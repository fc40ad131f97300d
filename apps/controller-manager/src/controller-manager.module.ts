import { Inject, Injectable, Module } from '@nestjs/common';
import { AppOptions, ControllerHost, CONTROLLERS, provideControllers } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { controllerManagerControllers } from '#libs/controllers/controller-manager';

@Injectable()
export class ControllerManagerService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, options: AppOptions, @Inject(CONTROLLERS) controllers: readonly Controller[]) {
    super(runtime, writer, 'controller-manager', options, controllers);
  }
}

/** Workload controllers, garbage collection, namespaces, accounts, nodes. Needs the ControlPlaneModule beside it. */
@Module({ providers: [provideControllers(controllerManagerControllers), ControllerManagerService] })
export class ControllerManagerModule {}
