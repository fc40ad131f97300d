import type { KubeObject } from '#libs/kernel';
import type { RawVolume } from '../../framework/kube-types';
import type { Listers } from '../../framework/listers';
import type { PodInfo } from '../../framework/pod-info';
import { claimNameOf, claimNotFound, claimOf, foreignClaim, storageClassOf, volumeNameOf } from '../../framework/volumes';

/** CSI driver by unique volume (`driver/handle`). */
export type Attachments = Map<string, string>;

export interface AttachmentProblem {
  readonly message: string;
  /** A claim that does not exist: the pod cannot be scheduled until it does. */
  readonly isMissing: boolean;
}

/** In-line disks of kinds that a CSI driver serves today. */
export function inTreeDriver(volume: RawVolume): { driver: string; handle: string } | undefined {
  if (volume.awsElasticBlockStore) return { driver: 'ebs.csi.aws.com', handle: volume.awsElasticBlockStore.volumeID };
  if (volume.gcePersistentDisk) return { driver: 'pd.csi.storage.gke.io', handle: volume.gcePersistentDisk.pdName };
  return undefined;
}

const provisionerDrivers = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
]);

export function hasAttachable(pod: PodInfo): boolean {
  return (pod.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral ?? inTreeDriver(volume));
}

/** Adds the volumes that the pod needs attached. Claims of pods that run already are passed over when they are gone. */
export function attachmentsOf(
  listers: Listers,
  pod: PodInfo,
  csiNode: KubeObject | undefined,
  isNew: boolean,
  into: Attachments,
): AttachmentProblem | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const claimName = claimNameOf(pod.name, volume);
    if (claimName === undefined) {
      const disk = csiNode && inTreeDriver(volume);
      if (disk !== undefined) into.set(`${disk.driver}/${disk.handle}`, disk.driver);
      continue;
    }
    const claim = claimOf(listers, pod.namespace, claimName);
    if (claim === undefined) {
      if (!isNew) continue;
      return { message: `looking up PVC ${pod.namespace}/${claimName}: ${claimNotFound(claimName)}`, isMissing: true };
    }
    if (volume.ephemeral !== undefined) {
      const message = foreignClaim(pod, claim);
      if (message !== undefined) return { message, isMissing: false };
    }
    const source = sourceOf(listers, claim);
    if (source !== undefined) into.set(`${source.driver}/${source.handle}`, source.driver);
  }
  return undefined;
}

/** Driver and handle of the bound volume, or of the one its class would provision. */
function sourceOf(listers: Listers, claim: KubeObject): { driver: string; handle: string } | undefined {
  const volumeName = volumeNameOf(claim);
  const volume = volumeName === '' ? undefined : listers.table('persistentvolumes').get('', volumeName);
  if (volume !== undefined) {
    const csi = volume.spec?.csi as { driver?: string; volumeHandle?: string } | undefined;
    return csi?.driver && csi.volumeHandle
      ? { driver: csi.driver, handle: csi.volumeHandle }
      : inTreeDriver((volume.spec ?? {}) as RawVolume);
  }
  const className = storageClassOf(claim);
  const storageClass = className === '' ? undefined : listers.table('storageclasses').get('', className);
  const provisioner = (storageClass?.provisioner as string | undefined) ?? '';
  if (provisioner === '') return undefined;
  // The handle is not known yet; any name that no volume has keeps the claim from being counted twice.
  return {
    driver: provisionerDrivers.get(provisioner) ?? provisioner,
    handle: `unbound:${claim.metadata.namespace}/${claim.metadata.name}`,
  };
}

/** What VolumeAttachments say is attached to each node, used by a pod there or not. */
export function attachedByNode(listers: Listers): ReadonlyMap<string, Attachments> {
  const byNode = new Map<string, Attachments>();
  for (const attachment of listers.table('volumeattachments').all()) {
    const { nodeName, attacher, source } = (attachment.spec ?? {}) as {
      nodeName?: string;
      attacher?: string;
      source?: { persistentVolumeName?: string };
    };
    const volume = source?.persistentVolumeName && listers.table('persistentvolumes').get('', source.persistentVolumeName);
    const handle = volume ? (volume.spec?.csi?.volumeHandle as string | undefined) : undefined;
    if (!nodeName || !attacher || !handle) continue;
    let attached = byNode.get(nodeName);
    if (attached === undefined) byNode.set(nodeName, (attached = new Map()));
    attached.set(`${attacher}/${handle}`, attacher);
  }
  return byNode;
}
