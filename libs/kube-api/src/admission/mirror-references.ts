import type { KubeObject } from '#libs/kernel';
import { referencesOf } from '../authorization';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** What of the API a pod reaches for, in the words of a refusal; undefined: nothing (upstream `HasAPIObjectReference`). */
export function referencedKind(pod: KubeObject): string | undefined {
  if (pod.spec?.serviceAccountName) return 'serviceaccounts';
  if (referencesOf(pod, 'secrets').length > 0) return 'secrets';
  if (referencesOf(pod, 'configmaps').length > 0) return 'configmaps';
  if (pod.spec?.resourceClaims?.length > 0) return 'resourceclaims';
  for (const volume of (pod.spec?.volumes ?? []) as Loose[]) {
    const found = Object.entries(ofVolumes).find(([kind]) => volume[kind]);
    if (found) return found[1];
    for (const source of volume.projected?.sources ?? []) {
      const projected = Object.entries(ofProjections).find(([kind]) => source[kind]);
      if (projected) return projected[1];
    }
  }
  return undefined;
}

const ofVolumes = {
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
};

const ofProjections = {
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
};
