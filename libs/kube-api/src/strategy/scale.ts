import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { compileObjectSelector, labelSelectorString } from '../selectors';
import {
  badRequest,
  conflict,
  goQuote,
  internalError,
  invalid,
  invalidValue,
  plainError,
  staleResourceVersion,
  storedUidDiffers,
} from '../status';
import type { Failure } from '../status';

/** Where objects of a custom kind have what their Scale shows: paths of fields (`.spec.replicas`). */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** How the selector of a workload is told, where it is no `metav1.LabelSelector`. */
interface ScaledKind {
  readonly scale?: ScalePaths;
  readonly scaleSelector?: (workload: KubeObject) => string;
}

const objectSelectorText = ({ spec }: KubeObject): string => labelSelectorString(compileObjectSelector(spec?.selector));

/** The Scale view of a workload: wished and present replicas, and the selector as text. */
export function scaleOf(workload: KubeObject, strategy: ScaledKind = {}): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const shown = shownOf(workload, strategy);
  const spec: { replicas?: number } = {};
  if (shown.wished) spec.replicas = shown.wished;
  const status: { replicas: number; selector?: string } = { replicas: shown.present };
  const { selector } = shown;
  if (selector !== '') status.selector = selector;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec,
    status,
  };
}

interface Shown {
  readonly wished: number | undefined;
  readonly present: number;
  readonly selector: string;
}

function shownOf(workload: KubeObject, { scale, scaleSelector = objectSelectorText }: ScaledKind): Shown {
  if (!scale) return { wished: workload.spec?.replicas, present: workload.status?.replicas ?? 0, selector: scaleSelector(workload) };
  const at = (path: string | undefined): unknown => (path ? valueAt(workload, fieldsOfPath(path)) : undefined);
  const [wished, present, selector] = [scale.specReplicasPath, scale.statusReplicasPath, scale.labelSelectorPath].map(at);
  return {
    wished: typeof wished === 'number' ? wished : undefined,
    present: typeof present === 'number' ? present : 0,
    selector: typeof selector === 'string' ? selector : '',
  };
}

/** `.spec.replicas` → its fields. */
export function fieldsOfPath(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

function valueAt(object: KubeObject, fields: readonly string[]): unknown {
  return fields.reduce<unknown>((value, field) => (isObject(value as Json) ? (value as JsonObject)[field] : undefined), object);
}

/** The object with its replicas where its kind has them; what is no map on the way there is replaced. */
function withReplicas(workload: KubeObject, { scale }: ScaledKind, replicas: number): KubeObject {
  if (!scale) return { ...workload, spec: { ...workload.spec, replicas } };
  const put = (holder: JsonObject, [field = '', ...rest]: readonly string[]): JsonObject => {
    const below = holder[field];
    return { ...holder, [field]: rest.length === 0 ? replicas : put(isObject(below) ? below : {}, rest) };
  };
  return put(workload as unknown as JsonObject, fieldsOfPath(scale.specReplicasPath)) as unknown as KubeObject;
}

/** What stands for no wish at all while a Scale is changed. */
const unsetReplicas = -(2 ** 31);

/** Why there is no Scale of an object whose kind finds no wish in it; undefined: there is one. */
export function noScaleOf(workload: KubeObject, { scale }: ScaledKind): Failure | undefined {
  if (!scale || typeof valueAt(workload, fieldsOfPath(scale.specReplicasPath)) === 'number') return undefined;
  return internalError(`the spec replicas field ${goQuote(scale.specReplicasPath)} does not exist`);
}

/** The Scale that a patch is applied to. */
export function scaleToChange(workload: KubeObject, strategy: ScaledKind): KubeObject {
  const scale = scaleOf(workload, strategy);
  return noScaleOf(workload, strategy) ? { ...scale, spec: { replicas: unsetReplicas } } : scale;
}

/** The workload with the replicas that a Scale asks for; a resourceVersion or uid in it is a precondition. */
export function applyScale(resource: string, workload: KubeObject, scale: KubeObject, strategy: ScaledKind = {}): KubeObject | Failure {
  const { name, uid, resourceVersion } = scale.metadata ?? {};
  const own = workload.metadata;
  if (name && name !== own.name) return badRequest(`the name of the object (${name}) does not match the name on the URL (${own.name})`);
  const replicas: number = scale.spec?.replicas ?? 0;
  if (strategy.scale) {
    if (replicas === unsetReplicas)
      return badRequest(`the spec replicas field ${goQuote(strategy.scale.specReplicasPath)} cannot be empty`);
  } else if (replicas < 0) {
    return invalid('Scale.autoscaling', own.name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  }
  if (uid && uid !== own.uid) {
    if (strategy.scale) return storedUidDiffers(resource, own.namespace, own.name, uid, own.uid);
    const [plural, ...group] = resource.split('.');
    const text = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${own.uid ?? ''}`;
    return conflict([`${plural}/scale`, ...group].join('.'), own.name, text);
  }
  if (resourceVersion && !/^\d+$/.test(resourceVersion))
    return plainError(`strconv.ParseUint: parsing ${goQuote(resourceVersion)}: invalid syntax`);
  if (resourceVersion && !/^0+$/.test(resourceVersion) && resourceVersion !== own.resourceVersion) {
    return staleResourceVersion(resource, own.name);
  }
  return withReplicas(workload, strategy, replicas);
}
