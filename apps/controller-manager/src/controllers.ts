import type { AppOptions } from '#libs/app-shell';
import type { Controller } from '#libs/control-loop';
import { indexedController } from './loop/indexed-reconciler';
import { deploymentController } from './deployment/deployment-controller';
import { replicaSetController } from './replicaset/replicaset-controller';

/** The pure controllers of this app. */
export function controllerManagerControllers(_options: AppOptions): Controller[] {
  return [indexedController(replicaSetController) as Controller, indexedController(deploymentController) as Controller];
}
