import type { SchedulerOptions } from '#libs/app-shell';
import type { Controller } from '#libs/control-loop';
import { schedulerController } from '#libs/scheduler';
import { loadPlugins } from './plugins/load-plugins';

/** The scheduler, with the plugins that the options name. @throws ConfigurationError, or what keeps a plugin's file from being loaded */
export function schedulerControllers({ scheduler = {} }: { scheduler?: SchedulerOptions }): Controller[] {
  const { config, identity, plugins = [] } = scheduler;
  return [schedulerController({ config, identity, registry: loadPlugins(plugins) })] as unknown as Controller[];
}
