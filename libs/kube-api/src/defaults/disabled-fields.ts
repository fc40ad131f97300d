import type { JsonObject } from '#libs/kernel';
import { listIn, objectIn } from './draft';

/**
 * Fields of pods that belong to features which are off by default in the recorded release: accepted, and dropped without a word.
 * ContainerRestartRules, ContainerStopSignals, EnvFiles, HostnameOverride, ImageVolume, ClusterTrustBundleProjection,
 * PodCertificateRequest.
 */
export function dropDisabledFields(spec: JsonObject): void {
  delete spec['hostnameOverride'];
  for (const container of listIn(spec, 'containers')) delete container['restartPolicy'];
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of listIn(spec, kind)) {
      delete container['restartPolicyRules'];
      const lifecycle = objectIn(container, 'lifecycle');
      if (lifecycle) delete lifecycle['stopSignal'];
      for (const variable of listIn(container, 'env')) {
        const source = objectIn(variable, 'valueFrom');
        if (source) delete source['fileKeyRef'];
      }
    }
  }
  for (const volume of listIn(spec, 'volumes')) {
    delete volume['image'];
    for (const source of listIn(objectIn(volume, 'projected') ?? {}, 'sources')) {
      delete source['clusterTrustBundle'];
      delete source['podCertificate'];
    }
  }
}
