import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { CallShell, ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { schedulerController, type SchedulerController } from '#libs/scheduler';
import type { ExtenderCall } from '#libs/scheduling';
import { extenderCalls } from './extenders/extender-calls';
import { httpSender } from './extenders/http-sender';
import { loadPlugins } from './plugins/load-plugins';

export function schedulerControllers({ scheduler }: AppOptions): Controller[] {
  return [controllerOf({ scheduler })] as unknown as Controller[];
}

function controllerOf({ scheduler = {} }: Pick<AppOptions, 'scheduler'>): SchedulerController {
  const { config, identity, plugins = [] } = scheduler;
  return schedulerController({ config, identity, registry: loadPlugins(plugins) });
}

/** Asks a controller's extenders over HTTP; undefined when its configuration has none. */
export function extenderShellOf(runtime: ClusterRuntime, controller: Controller): CallShell<ExtenderCall> | undefined {
  if (!isScheduler(controller)) return undefined;
  const { extenders } = controller.profiles.configuration;
  return extenders.length === 0 ? undefined : new CallShell(runtime, extenderCalls(controller.name, httpSender(extenders)));
}

function isScheduler(controller: object): controller is SchedulerController {
  return 'profiles' in controller;
}

@Injectable()
export class SchedulerService extends ControllerHost {
  private readonly extenders: CallShell<ExtenderCall> | undefined;

  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    const controllers = schedulerControllers(options);
    super(runtime, writer, 'scheduler', options, controllers);
    this.extenders = extenderShellOf(runtime, controllers[0] as Controller);
  }

  override async onApplicationBootstrap(): Promise<void> {
    this.extenders?.start();
    await super.onApplicationBootstrap();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    this.extenders?.stop();
  }
}

@Module({ providers: [SchedulerService] })
export class SchedulerModule {}
