import type { Type } from '@nestjs/common';
import { CliError } from '../cli-error';

export const appNames = ['apiserver', 'priority-admission', 'scheduler', 'kubelet', 'pdb-controller', 'controller-manager'] as const;
export type AppName = (typeof appNames)[number];

export interface AppSelection {
  apps: AppName[];
  /** Controllers of an app when not all of them run. */
  controllers: Record<string, string[]>;
}

/**
 * `--apps apiserver,pdb-controller/eviction`: whole apps, or single controllers of one.
 * @throws CliError naming the word that is no app.
 */
export function parseApps(list: string | undefined): AppSelection {
  if (list === undefined) return { apps: [...appNames], controllers: {} };
  const apps = new Set<AppName>();
  const controllers: Record<string, string[]> = {};
  for (const word of list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)) {
    const [name, controller] = word.split('/') as [string, string | undefined];
    if (!appNames.includes(name as AppName)) throw new CliError(`no app is called "${name}"`, `Apps: ${appNames.join(', ')}`, 2);
    apps.add(name as AppName);
    if (controller) (controllers[name] ??= []).push(controller);
  }
  if (apps.size === 0) throw new CliError('--apps names no app', `Apps: ${appNames.join(', ')}`, 2);
  return { apps: appNames.filter((name) => apps.has(name)), controllers };
}

/** The composition root: the one place that knows every app's module. Loaded only for the apps that run here. */
export async function moduleOf(app: AppName): Promise<Type> {
  switch (app) {
    case 'apiserver':
      return (await import('#apps/apiserver')).ApiserverModule;
    case 'priority-admission':
      return (await import('#apps/priority-admission')).PriorityAdmissionModule;
    case 'scheduler':
      return (await import('#apps/scheduler')).SchedulerModule;
    case 'kubelet':
      return (await import('#apps/kubelet')).KubeletModule;
    case 'pdb-controller':
      return (await import('#apps/pdb-controller')).PdbControllerModule;
    case 'controller-manager':
      return (await import('#apps/controller-manager')).ControllerManagerModule;
  }
}
