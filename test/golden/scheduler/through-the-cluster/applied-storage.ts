// The volumes, claims and classes of a recorded scenario, made through the API's write path: bound as they were recorded.
import type { KubeObject } from '#libs/kernel';
import type { Scenario } from '../scenario';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** How objects are made; both answer with what is stored. */
export interface Making {
  create(resource: string, object: object): Promise<KubeObject>;
  updateStatus(resource: string, object: KubeObject): Promise<KubeObject>;
}

/** Claims before volumes: a bound volume names the claim by the uid that it has got. */
export async function addStorage(scenario: Scenario, making: Making): Promise<void> {
  const listed = (name: string): KubeObject[] => (scenario[name] as KubeObject[] | undefined) ?? [];
  for (const each of listed('storageClasses')) await making.create('storageclasses.storage.k8s.io', submitted(each));
  for (const each of listed('csiNodes')) await making.create('csinodes.storage.k8s.io', submittedCsiNode(each));
  const uids = new Map<string, string>();
  const singlePod = new Set<string>();
  for (const claim of listed('persistentVolumeClaims')) {
    const created = await making.create('persistentvolumeclaims', submitted(claim));
    uids.set(claim.metadata.uid, created.metadata.uid);
    if ((claim.spec?.accessModes as string[] | undefined)?.includes('ReadWriteOncePod')) singlePod.add(claim.metadata.uid);
    if (claim.status) await making.updateStatus('persistentvolumeclaims', { ...created, status: claim.status });
  }
  for (const volume of listed('persistentVolumes')) {
    const created = await making.create('persistentvolumes', submittedVolume(volume, uids, singlePod));
    if (volume.status) await making.updateStatus('persistentvolumes', { ...created, status: volume.status });
  }
}

function submitted({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  const { status: _, ...wish } = rest as Loose;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...wish } as unknown as KubeObject;
}

/** Recorded without the names of labels, which the API wants to be there. */
function submittedCsiNode(recorded: KubeObject): KubeObject {
  const node = submitted(recorded);
  const drivers = ((node.spec?.drivers as Loose[] | undefined) ?? []).map((driver) => ({ topologyKeys: null, ...driver }));
  return { ...node, spec: { ...node.spec, drivers } };
}

/** Recorded volumes allow one pod alone and others as well, which the API does not accept: they are made for what their claim asks for. */
function submittedVolume(recorded: KubeObject, uids: ReadonlyMap<string, string>, singlePod: ReadonlySet<string>): KubeObject {
  const volume = submitted(recorded);
  const { claimRef, ...spec }: Loose = volume.spec;
  const modes = spec.accessModes as string[];
  const wantsSinglePod = claimRef !== undefined && singlePod.has(claimRef.uid);
  const accessModes =
    modes.length > 1 && modes.includes('ReadWriteOncePod')
      ? modes.filter((mode) => (mode === 'ReadWriteOncePod') === wantsSinglePod)
      : modes;
  const reference = claimRef && { ...claimRef, uid: uids.get(claimRef.uid) ?? claimRef.uid };
  return { ...volume, spec: reference ? { ...spec, accessModes, claimRef: reference } : { ...spec, accessModes } };
}
