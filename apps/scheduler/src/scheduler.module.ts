import { Inject, Injectable, Module } from '@nestjs/common';
import { AppOptions, ControllerHost, CONTROLLERS, provideControllers } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { EXTENDERS, extenderProvider, type ExtenderShell } from './extenders/extender-provider';
import { schedulerControllers } from './scheduler-controllers';

@Injectable()
export class SchedulerService extends ControllerHost {
  constructor(
    runtime: ClusterRuntime,
    writer: Writer,
    options: AppOptions,
    @Inject(CONTROLLERS) controllers: readonly Controller[],
    @Inject(EXTENDERS) private readonly extenders: readonly ExtenderShell[],
  ) {
    super(runtime, writer, 'scheduler', options, controllers);
  }

  override async onApplicationBootstrap(): Promise<void> {
    for (const extender of this.extenders) extender.start();
    await super.onApplicationBootstrap();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    for (const extender of this.extenders) extender.stop();
  }
}

/** Finds a node for each pod that has none. Needs the ControlPlaneModule beside it. */
@Module({ providers: [provideControllers(schedulerControllers), extenderProvider, SchedulerService] })
export class SchedulerModule {}
