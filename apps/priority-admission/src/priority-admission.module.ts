import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import { priorityAdmissionControllers } from '#libs/controllers/priority-admission';

@Injectable()
export class PriorityAdmissionService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'priority-admission', options, priorityAdmissionControllers());
  }
}

/** Resolves and polices pod priority, by reviews on the stream. Needs the ControlPlaneModule beside it. */
@Module({ providers: [PriorityAdmissionService] })
export class PriorityAdmissionModule {}
