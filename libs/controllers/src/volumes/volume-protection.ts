import { objectKey, type KubeObject } from '#libs/kernel';
import { protectionController } from './protection';

/** A volume is kept for as long as it is bound. */
export const volumeProtection = protectionController({
  controller: 'persistentvolume-protection-controller',
  resource: 'persistentvolumes',
  finalizer: 'kubernetes.io/pv-protection',
  users: [],
  freed: () => [],
  isUsed: (volume) => volume.status?.phase === 'Bound',
});

/** A class of attributes is kept for as long as a claim or a volume names it, has it, or is on its way to it. */
export const attributesClassProtection = protectionController({
  controller: 'volumeattributesclass-protection-controller',
  resource: 'volumeattributesclasses.storage.k8s.io',
  finalizer: 'kubernetes.io/vac-protection',
  users: ['persistentvolumeclaims', 'persistentvolumes'],
  freed: (_, { change }) =>
    change?.resource === 'persistentvolumeclaims' || change?.resource === 'persistentvolumes'
      ? classesOf(change.before).map((name) => objectKey(undefined, name))
      : [],
  isUsed: ({ metadata }, _, cluster) =>
    (['persistentvolumeclaims', 'persistentvolumes'] as const).some((resource) => {
      for (const object of cluster.list(resource)) if (classesOf(object).includes(metadata.name)) return true;
      return false;
    }),
});

function classesOf(object: KubeObject | undefined): string[] {
  const names = [
    object?.spec?.volumeAttributesClassName,
    object?.status?.currentVolumeAttributesClassName,
    object?.status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.filter((name): name is string => typeof name === 'string' && name !== '');
}
