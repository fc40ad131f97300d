import type { AppOptions } from '#libs/app-shell';
import { reconcilerController, type Controller } from '#libs/control-loop';
import { rootCaPublisher } from './accounts/root-ca-publisher';
import { serviceAccountController } from './accounts/service-account-controller';
import { deploymentController } from './deployment/deployment-controller';
import { garbageCollector } from './garbage-collector/garbage-collector-controller';
import { indexedController } from './loop/indexed-reconciler';
import { namespaceController } from './namespace/namespace-controller';
import { nodeBootstrap } from './nodes/node-bootstrap';
import { nodeTaints } from './nodes/node-taints';
import { podGarbageCollector } from './nodes/pod-garbage-collector';
import { replicaSetController } from './replicaset/replicaset-controller';

/** The pure controllers of this app, each for a loop of its own. Those that nothing is given for (no CA, no nodes) are left out. */
export function controllerManagerControllers({ apiserver, controllerManager }: AppOptions): Controller[] {
  const controllers = [
    indexedController(replicaSetController),
    indexedController(deploymentController),
    indexedController(garbageCollector),
    indexedController(namespaceController),
    indexedController(serviceAccountController),
    indexedController(podGarbageCollector),
    reconcilerController(nodeTaints),
    ...(apiserver?.ca ? [indexedController(rootCaPublisher(apiserver.ca))] : []),
    ...(controllerManager?.nodes ? [indexedController(nodeBootstrap(controllerManager.nodes))] : []),
  ];
  return controllers as Controller[];
}
