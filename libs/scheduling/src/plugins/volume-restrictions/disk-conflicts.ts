import type { RawPodSpec, RawVolume } from '../../framework/kube-types';

/** A disk named in the pod itself, of a kind that cannot be mounted anyhow by two pods: GCE, EBS, RBD, iSCSI. */
export function isExclusiveDisk(volume: RawVolume): boolean {
  return Boolean(volume.gcePersistentDisk ?? volume.awsElasticBlockStore ?? volume.rbd ?? volume.iscsi);
}

/** Whether two pods on one node would use the same such disk in a way that it does not allow. */
export function podsConflict(one: RawPodSpec, other: RawPodSpec): boolean {
  for (const volume of one.volumes ?? []) {
    if (!isExclusiveDisk(volume)) continue;
    for (const existing of other.volumes ?? []) if (volumesConflict(volume, existing)) return true;
  }
  return false;
}

interface Disk {
  readOnly?: boolean;
}

const bothReadOnly = (a: Disk, b: Disk): boolean => a.readOnly === true && b.readOnly === true;

/** The same disk twice on a node: allowed if both only read it; an EBS volume never. */
function volumesConflict(a: RawVolume, b: RawVolume): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk && a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName) {
    if (!bothReadOnly(a.gcePersistentDisk, b.gcePersistentDisk)) return true;
  }
  if (a.awsElasticBlockStore && b.awsElasticBlockStore && a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID) return true;
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && !bothReadOnly(a.iscsi, b.iscsi)) return true;
  if (a.rbd === undefined || b.rbd === undefined || bothReadOnly(a.rbd, b.rbd)) return false;
  const others = b.rbd.monitors ?? [];
  const sharesMonitor = (a.rbd.monitors ?? []).some((monitor) => others.includes(monitor));
  return sharesMonitor && (a.rbd.pool ?? 'rbd') === (b.rbd.pool ?? 'rbd') && a.rbd.image === b.rbd.image;
}
