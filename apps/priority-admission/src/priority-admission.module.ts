import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer, reconcilerController, type Controller } from '#libs/control-loop';
import { priorityReviewer } from './priority-reviewer';

/** The pure controllers of this app. */
export function priorityAdmissionControllers(_options: AppOptions): Controller[] {
  return [reconcilerController(priorityReviewer)];
}

@Injectable()
export class PriorityAdmissionService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'priority-admission', options, priorityAdmissionControllers(options));
  }
}

/** Resolves and polices pod priority, by reviews on the stream. Needs the ControlPlaneModule beside it. */
@Module({ providers: [PriorityAdmissionService] })
export class PriorityAdmissionModule {}
