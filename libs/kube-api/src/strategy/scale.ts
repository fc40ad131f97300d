import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector, labelSelectorString } from '../selectors';
import { badRequest, invalid, invalidValue, staleResourceVersion, storedUidDiffers } from '../status';
import type { Failure } from '../status';

/** How the selector of a workload is told, where it is no `metav1.LabelSelector`. */
interface ScaledKind {
  readonly scaleSelector?: (workload: KubeObject) => string;
}

const objectSelectorText = ({ spec }: KubeObject): string => labelSelectorString(compileObjectSelector(spec?.selector));

/** The Scale view of a workload: wished and present replicas, and the selector as text. */
export function scaleOf(workload: KubeObject, { scaleSelector = objectSelectorText }: ScaledKind = {}): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const spec: { replicas?: number } = {};
  if (workload.spec?.replicas) spec.replicas = workload.spec.replicas;
  const status: { replicas: number; selector?: string } = { replicas: workload.status?.replicas ?? 0 };
  const selector = scaleSelector(workload);
  if (selector !== '') status.selector = selector;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec,
    status,
  };
}

/** The workload with the replicas that a Scale asks for; a resourceVersion or uid in it is a precondition. */
export function applyScale(resource: string, workload: KubeObject, scale: KubeObject): KubeObject | Failure {
  const { name, uid, resourceVersion } = scale.metadata ?? {};
  const own = workload.metadata;
  if (name && name !== own.name) return badRequest(`the name of the object (${name}) does not match the name on the URL (${own.name})`);
  const replicas: number = scale.spec?.replicas ?? 0;
  if (replicas < 0) {
    return invalid('Scale.autoscaling', own.name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  }
  if (uid && uid !== own.uid) {
    return storedUidDiffers(resource, own.namespace, own.name, uid, own.uid);
  }
  if (resourceVersion && resourceVersion !== own.resourceVersion) {
    return staleResourceVersion(resource, own.name);
  }
  return { ...workload, spec: { ...workload.spec, replicas } };
}
