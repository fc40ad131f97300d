// Objects in the form that recordings have them in: without what is not shown, without defaults, without what says nothing.
import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';

/** Fields of a pod's spec that a recording leaves out where they have these values. */
const podDefaults: JsonObject = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
  priority: 0,
  serviceAccount: 'default',
  serviceAccountName: 'default',
  securityContext: {},
};
const containerDefaults: JsonObject = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};
const serviceDefaults: JsonObject = {
  sessionAffinity: 'None',
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  internalTrafficPolicy: 'Cluster',
};
const tokenVolume = 'kube-api-access-';
const ownTolerations = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

/** An object of the play as a recording shows objects. */
export function recordedForm(object: KubeObject, kind: string): JsonObject {
  const { metadata, apiVersion: _version, kind: _kind, ...rest } = JSON.parse(JSON.stringify(object)) as KubeObject;
  const { name: _name, namespace: _namespace, resourceVersion: _rv, creationTimestamp: _time, managedFields: _owners, ...shown } = metadata;
  return comparable({ metadata: shown, ...rest } as unknown as JsonObject, kind);
}

/** What two forms of the same may differ in is taken out. */
export function comparable(form: JsonObject, kind: string): JsonObject {
  const result = JSON.parse(JSON.stringify(form)) as JsonObject;
  for (const spec of podSpecsIn(result, kind)) leaveOutDefaults(spec, kind);
  // How often a ReplicaSet was scaled on the way is not promised.
  if (kind === 'ReplicaSet') {
    if (isObject(result.metadata)) delete result.metadata.generation;
    if (isObject(result.status)) delete result.status.observedGeneration;
  }
  if (kind === 'Pod' && isObject(result.status)) delete result.status.qosClass;
  if (kind === 'Node' && isObject(result.status)) for (const field of ['nodeInfo', 'daemonEndpoints']) delete result.status[field];
  if (kind === 'Service' && isObject(result.spec)) leaveOut(serviceDefaults, result.spec as JsonObject);
  return (withoutEmpty(result) ?? {}) as JsonObject;
}

function podSpecsIn(object: JsonObject, kind: string): JsonObject[] {
  const at = (value: Json | undefined, ...path: string[]): JsonObject[] => {
    let found = value;
    for (const key of path) found = isObject(found) ? (found as JsonObject)[key] : undefined;
    return isObject(found) ? [found as JsonObject] : [];
  };
  if (kind === 'Pod') return at(object, 'spec');
  return [
    ...at(object, 'spec', 'template', 'spec'),
    ...at(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec'),
    ...at(object, 'data', 'spec', 'template', 'spec'),
  ];
}

function leaveOutDefaults(spec: JsonObject, kind: string): void {
  leaveOut(podDefaults, spec);
  if (kind === 'Pod' && Array.isArray(spec.tolerations)) {
    spec.tolerations = (spec.tolerations as JsonObject[]).filter(
      ({ key, effect, tolerationSeconds }) => !(ownTolerations.has(key as string) && effect === 'NoExecute' && tolerationSeconds === 300),
    );
  }
  if (Array.isArray(spec.volumes)) spec.volumes = (spec.volumes as JsonObject[]).filter(({ name }) => !isToken(name));
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    if (!Array.isArray(spec[list])) continue;
    for (const container of spec[list] as JsonObject[]) {
      leaveOut(containerDefaults, container);
      if (container.imagePullPolicy === 'IfNotPresent' || container.imagePullPolicy === 'Always') delete container.imagePullPolicy;
      if (Array.isArray(container.volumeMounts))
        container.volumeMounts = (container.volumeMounts as JsonObject[]).filter(({ name }) => !isToken(name));
    }
  }
}

function leaveOut(defaults: JsonObject, fields: JsonObject): void {
  for (const [key, value] of Object.entries(defaults)) if (JSON.stringify(fields[key]) === JSON.stringify(value)) delete fields[key];
}

function isToken(name: Json | undefined): boolean {
  return typeof name === 'string' && name.startsWith(tokenVolume);
}

/** Without what is null or has nothing in it. */
function withoutEmpty(value: Json): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? {});
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const kept = withoutEmpty(item as Json);
    if (kept !== undefined) result[key] = kept;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

/** A JSON merge patch, applied. */
export function merged(value: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(value) ? { ...value } : {};
  for (const [key, item] of Object.entries(patch as JsonObject)) {
    if (item === null) delete result[key];
    else result[key] = merged(result[key], item as Json);
  }
  return result;
}
