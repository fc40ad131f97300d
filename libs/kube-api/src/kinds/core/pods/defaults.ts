import type { JsonObject } from '#libs/kernel';
import { dropDisabledFields } from './disabled-fields';
import { listIn, objectIn, setAbsent, setEmpty } from '../../../defaults/draft';
import { alignFirst } from '../../../defaults/align';
import { defaultPullPolicy } from './image-tag';
import { defaultPodLevelResources, requestsFromLimits, roundRequirements, roundResourceList } from '../../../defaults/resources';
import { defaultFieldReference, defaultVolume } from './default-volumes';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];

function defaultHttpGet(handler: JsonObject): void {
  const get = objectIn(handler, 'httpGet');
  if (!get) return;
  setEmpty(get, 'path', '/');
  setEmpty(get, 'scheme', 'HTTP');
}

function defaultProbe(probe: JsonObject): void {
  defaultHttpGet(probe);
  setEmpty(probe, 'timeoutSeconds', 1);
  setEmpty(probe, 'periodSeconds', 10);
  setEmpty(probe, 'successThreshold', 1);
  setEmpty(probe, 'failureThreshold', 3);
}

/** Containers of all three kinds. */
function defaultContainer(container: JsonObject): void {
  setEmpty(container, 'imagePullPolicy', defaultPullPolicy(container['image']));
  setEmpty(container, 'terminationMessagePath', '/dev/termination-log');
  setEmpty(container, 'terminationMessagePolicy', 'File');
  roundRequirements(container['resources']);
  for (const name of probes) {
    const probe = objectIn(container, name);
    if (probe) defaultProbe(probe);
  }
  const lifecycle = objectIn(container, 'lifecycle') ?? {};
  for (const hook of ['postStart', 'preStop']) defaultHttpGet(objectIn(lifecycle, hook) ?? {});
  for (const variable of listIn(container, 'env')) defaultFieldReference(objectIn(variable, 'valueFrom') ?? {});
}

/** `serviceAccount` is the former name of `serviceAccountName`. */
function alignServiceAccount(spec: JsonObject): void {
  const name = spec['serviceAccountName'] || spec['serviceAccount'];
  if (!name) return;
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
}

/** What every pod spec gets, in pods and in templates (upstream `SetDefaults_PodSpec` and those of its parts). */
export function defaultPodSpec(spec: JsonObject): void {
  for (const volume of listIn(spec, 'volumes')) defaultVolume(volume);
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers']) listIn(spec, kind).forEach(defaultContainer);
  setEmpty(spec, 'dnsPolicy', 'ClusterFirst');
  setEmpty(spec, 'restartPolicy', 'Always');
  setAbsent(spec, 'securityContext', {});
  setAbsent(spec, 'terminationGracePeriodSeconds', 30);
  alignServiceAccount(spec);
  setEmpty(spec, 'schedulerName', 'default-scheduler');
  roundResourceList(spec['overhead']);
  roundRequirements(spec['resources']);
  dropDisabledFields(spec);
}

const formerAnnotations = ['init-containers', 'init-container-statuses'].flatMap((name) => [
  `pod.alpha.kubernetes.io/${name}`,
  `pod.beta.kubernetes.io/${name}`,
]);

/** Containers of an initialisation were told in annotations once; those are never kept. */
function dropFormerAnnotations(holder: JsonObject): void {
  const annotations = objectIn(objectIn(holder, 'metadata') ?? {}, 'annotations');
  if (annotations) for (const key of formerAnnotations) delete annotations[key];
}

/** What pods get beside: requests from limits, service links, ports on the host's network. */
export function setPodDefaults(pod: JsonObject): void {
  dropFormerAnnotations(pod);
  const spec = objectIn(pod, 'spec');
  if (spec) setPodSpecDefaults(spec);
  const status = objectIn(pod, 'status');
  if (status) alignFirst(status, 'podIP', 'podIPs', listIn(status, 'podIPs')[0]?.['ip'], (ip) => ({ ip }));
}

function setPodSpecDefaults(spec: JsonObject): void {
  defaultPodSpec(spec);
  if ((spec['terminationGracePeriodSeconds'] as number) < 0) spec['terminationGracePeriodSeconds'] = 1;
  for (const kind of ['containers', 'initContainers']) listIn(spec, kind).forEach(requestsFromLimits);
  defaultPodLevelResources(spec);
  setAbsent(spec, 'enableServiceLinks', true);
  if (spec['hostNetwork'] === true) {
    for (const container of [...listIn(spec, 'containers'), ...listIn(spec, 'initContainers')]) {
      for (const port of listIn(container, 'ports')) setEmpty(port, 'hostPort', port['containerPort'] ?? 0);
    }
  }
}

export function defaultPodTemplate(holder: JsonObject): void {
  const template = objectIn(holder, 'template');
  if (template) dropFormerAnnotations(template);
  const spec = template && objectIn(template, 'spec');
  if (spec) defaultPodSpec(spec);
}
