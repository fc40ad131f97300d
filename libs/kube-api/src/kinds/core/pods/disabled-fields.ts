import type { JsonObject } from '#libs/kernel';
import { listIn, objectIn } from '../../../defaults/draft';

/**
 * Fields of pods that belong to features which are off by default in the recorded release: accepted, and dropped without a word.
 * ContainerRestartRules, ContainerStopSignals, EnvFiles, HostnameOverride, ImageVolume, ClusterTrustBundleProjection,
 * PodCertificateRequest.
 */
export function dropDisabledFields(spec: JsonObject): void {
  delete spec['hostnameOverride'];
  for (const kind of ['containers', 'ephemeralContainers']) for (const container of listIn(spec, kind)) delete container['restartPolicy'];
  for (const container of listIn(spec, 'initContainers')) if (container['restartPolicy'] !== 'Always') delete container['restartPolicy'];
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of listIn(spec, kind)) {
      delete container['restartPolicyRules'];
      dropStopSignal(container);
      for (const variable of listIn(container, 'env')) {
        const source = objectIn(variable, 'valueFrom');
        if (source) delete source['fileKeyRef'];
      }
    }
  }
  dropImageVolumes(spec);
  for (const volume of listIn(spec, 'volumes')) {
    for (const source of listIn(objectIn(volume, 'projected') ?? {}, 'sources')) {
      delete source['clusterTrustBundle'];
      delete source['podCertificate'];
    }
  }
}

/** A lifecycle that said nothing else is none. */
function dropStopSignal(container: JsonObject): void {
  const lifecycle = objectIn(container, 'lifecycle');
  if (lifecycle?.['stopSignal'] === undefined) return;
  delete lifecycle['stopSignal'];
  if (!lifecycle['postStart'] && !lifecycle['preStop']) delete container['lifecycle'];
}

/** Volumes go whole, and with them what mounts them. */
function dropImageVolumes(spec: JsonObject): void {
  const volumes = listIn(spec, 'volumes');
  const names = new Set(volumes.filter((volume) => objectIn(volume, 'image')).map(({ name }) => name));
  if (names.size === 0) return;
  setKept(spec, 'volumes', (volume) => !objectIn(volume, 'image'));
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of listIn(spec, kind)) setKept(container, 'volumeMounts', ({ name }) => !names.has(name));
  }
}

function setKept(holder: JsonObject, key: string, isKept: (item: JsonObject) => boolean): void {
  const kept = listIn(holder, key).filter(isKept);
  if (kept.length > 0) holder[key] = kept;
  else delete holder[key];
}
