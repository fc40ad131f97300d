import type { JsonObject } from '#libs/kernel';
import { objectIn, setAbsent, setEmpty } from '../../../defaults/draft';
import { roundResourceList } from '../../../defaults/resources';

export function setVolumeDefaults(volume: JsonObject): void {
  const status = objectIn(volume, 'status') ?? {};
  volume['status'] = status;
  setEmpty(status, 'phase', 'Pending');
  const spec = objectIn(volume, 'spec') ?? {};
  volume['spec'] = spec;
  setEmpty(spec, 'persistentVolumeReclaimPolicy', 'Retain');
  setAbsent(spec, 'volumeMode', 'Filesystem');
  setVolumeSpecDefaults(spec);
}

/** Also of the volume that an attachment carries. What the schema declares is filled in already. */
export function setVolumeSpecDefaults(spec: JsonObject): void {
  roundResourceList(spec['capacity']);
  const hostPath = objectIn(spec, 'hostPath');
  if (hostPath) setAbsent(hostPath, 'type', '');
}
