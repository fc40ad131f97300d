import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { schedulerController } from './scheduler-controller';

export function schedulerControllers(options: AppOptions): Controller[] {
  return [schedulerController(options.scheduler) as unknown as Controller];
}

@Injectable()
export class SchedulerService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'scheduler', options, schedulerControllers(options));
  }
}

@Module({ providers: [SchedulerService] })
export class SchedulerModule {}
