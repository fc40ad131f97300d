import { type Controller, reconcilerController } from '#libs/control-loop';
import { roleAggregation } from '../access/role-aggregation';
import { rootCaPublisher } from '../accounts/root-ca-publisher';
import { tokenController } from '../accounts/token-controller';
import { requestApprover, requestCleaner, requestSigner } from '../certificates';
import { serviceAccountController } from '../accounts/service-account-controller';
import { deploymentController } from '../deployment/deployment-controller';
import { garbageCollector } from '../garbage-collector/garbage-collector-controller';
import { jobController } from '../job/job-controller';
import { ttlAfterFinished } from '../job/ttl-after-finished';
import { namespaceController } from '../namespace/namespace-controller';
import { nodeBootstrap, type SimulatedNodes } from '../nodes/node-bootstrap';
import { nodeLifecycle } from '../nodes/lifecycle/node-lifecycle-controller';
import type { NodeLifecycleSettings } from '../nodes/lifecycle/settings';
import { nodeTtl } from '../nodes/node-ttl';
import { podGarbageCollector, type PodGCSettings } from '../nodes/pod-gc/pod-garbage-collector';
import { taintEviction } from '../nodes/taint-eviction/taint-eviction-controller';
import { quotaController } from '../quota/quota-controller';
import { policyStatusController } from '../policies/policy-status';
import { replicaSetController } from '../replicaset/replicaset-controller';
import { endpointsController } from '../services/endpoints-controller';
import { endpointSliceController } from '../services/endpointslice-controller';
import { endpointSliceMirroring } from '../services/mirroring-controller';
import { statefulSetController } from '../statefulset/statefulset-controller';
import { claimProtection } from '../volumes/claim-protection';
import { attributesClassProtection, volumeProtection } from '../volumes/volume-protection';

/** What of an operator's settings the controllers go by. */
export interface ControllerManagerSettings {
  /** `ca`: PEM of the CA to publish in every namespace. */
  apiserver?: { ca?: string };
  /** `signer`: certificate of the CA that signs what requests ask for. */
  controllerManager?: {
    nodes?: SimulatedNodes;
    nodeLifecycle?: Partial<NodeLifecycleSettings>;
    podGC?: PodGCSettings;
    signer?: { certificate: string };
  };
}

/** The controllers of the controller manager, each for a loop of its own. Those that nothing is given for (no CA, no nodes) are left out. */
export function controllerManagerControllers({ apiserver, controllerManager }: ControllerManagerSettings): Controller[] {
  const controllers = [
    reconcilerController(replicaSetController),
    reconcilerController(deploymentController),
    reconcilerController(garbageCollector),
    reconcilerController(namespaceController),
    reconcilerController(serviceAccountController),
    reconcilerController(podGarbageCollector(controllerManager?.podGC)),
    reconcilerController(nodeLifecycle(controllerManager?.nodeLifecycle)),
    reconcilerController(taintEviction),
    reconcilerController(nodeTtl),
    reconcilerController(claimProtection),
    reconcilerController(volumeProtection),
    reconcilerController(attributesClassProtection),
    reconcilerController(endpointsController),
    reconcilerController(endpointSliceController),
    reconcilerController(endpointSliceMirroring),
    reconcilerController(jobController),
    reconcilerController(ttlAfterFinished),
    reconcilerController(statefulSetController),
    reconcilerController(quotaController),
    reconcilerController(roleAggregation),
    reconcilerController(policyStatusController),
    reconcilerController(tokenController),
    reconcilerController(requestApprover),
    reconcilerController(requestCleaner),
    ...(controllerManager?.signer ? [reconcilerController(requestSigner(controllerManager.signer.certificate))] : []),
    ...(apiserver?.ca ? [reconcilerController(rootCaPublisher(apiserver.ca))] : []),
    ...(controllerManager?.nodes ? [reconcilerController(nodeBootstrap(controllerManager.nodes))] : []),
  ];
  return controllers as Controller[];
}
