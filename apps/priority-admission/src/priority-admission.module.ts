import { Inject, Injectable, Module } from '@nestjs/common';
import { AppOptions, ControllerHost, CONTROLLERS, provideControllers } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { priorityAdmissionControllers } from '#libs/controllers/priority-admission';

@Injectable()
export class PriorityAdmissionService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, options: AppOptions, @Inject(CONTROLLERS) controllers: readonly Controller[]) {
    super(runtime, writer, 'priority-admission', options, controllers);
  }
}

/** Resolves and polices pod priority, by reviews on the stream. Needs the ControlPlaneModule beside it. */
@Module({ providers: [provideControllers(priorityAdmissionControllers), PriorityAdmissionService] })
export class PriorityAdmissionModule {}
