import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { controllerManagerControllers } from './controllers';

@Injectable()
export class ControllerManagerService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'controller-manager', options, controllerManagerControllers(options) as unknown as readonly Controller<never>[]);
  }
}

/** Workload controllers, garbage collection, namespaces, accounts, nodes. Needs the ControlPlaneModule beside it. */
@Module({ providers: [ControllerManagerService] })
export class ControllerManagerModule {}
