import type { AppOptions } from '#libs/app-shell';
import { CliError } from '../cli-error';
import type { AppName, AppSelection } from './apps';

/** Names of an app's controllers, as `--apps APP/CONTROLLER` takes them. The app is loaded for it. */
async function controllerNames(app: AppName, options: AppOptions): Promise<string[]> {
  const named = async (): Promise<readonly { name: string }[]> => {
    switch (app) {
      case 'apiserver':
        return (await import('#apps/apiserver')).apiserverControllers();
      case 'priority-admission':
        return (await import('#libs/controllers/priority-admission')).priorityAdmissionControllers();
      case 'scheduler':
        return (await import('#apps/scheduler')).schedulerControllers(options);
      case 'kubelet':
        return (await import('#libs/kubelet')).kubeletControllers(options.kubelet ?? {});
      case 'pdb-controller':
        return (await import('#libs/controllers/pdb-controller')).pdbControllers();
      case 'controller-manager':
        return (await import('#libs/controllers/controller-manager')).controllerManagerControllers(options);
    }
  };
  return (await named()).map(({ name }) => name);
}

/** @throws CliError naming the controllers that the app has. */
export async function checkControllers({ controllers }: AppSelection, options: AppOptions): Promise<void> {
  for (const [app, wanted] of Object.entries(controllers)) {
    const known = await controllerNames(app as AppName, options);
    const unknown = wanted.find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new CliError(`--apps: ${app} has no controller "${unknown}"`, `Controllers of ${app}: ${known.join(', ')}`, 2);
  }
}

/** What the chosen apps leave undone that a user would take for granted; undefined when nothing of the kind is. */
export function missingNodes({ apps, controllers }: AppSelection, nodes: number): string | undefined {
  if (nodes === 0) return undefined;
  const made = apps.includes('controller-manager') && (controllers['controller-manager']?.includes('node-bootstrap') ?? true);
  if (!made) return 'no nodes are made: that is done by controller-manager, which is not among --apps';
  return apps.includes('kubelet') ? undefined : 'the nodes never become Ready: kubelet is not among --apps';
}
