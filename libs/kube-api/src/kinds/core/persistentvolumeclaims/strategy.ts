import type { KubeObject } from '#libs/kernel';
import { withStatus } from '../../../strategy/status-update';
import { isSet, type Loose } from '../../../validation/values';

export function prepareNewClaim(claim: KubeObject): KubeObject {
  return { ...claim, spec: withDataSources(claim.spec ?? {}, undefined), status: { phase: 'Pending' } };
}

export function prepareClaimUpdate(updated: KubeObject, old: KubeObject): KubeObject {
  return { ...withStatus(updated, old.status), spec: withDataSources(updated.spec ?? {}, old.spec ?? {}) };
}

/**
 * The two fields for what a claim is filled from say the same: where one is given, the other follows. The older one knows claims and
 * snapshots, and has always dropped anything else.
 */
function withDataSources(spec: Loose, old: Loose): Loose {
  const filled = { ...spec };
  const isFilled = isSet(old?.dataSource) || isSet(old?.dataSourceRef);
  // A source in another namespace is of a feature that is off by default in the recorded release (CrossNamespaceVolumeDataSource).
  if (filled.dataSourceRef?.namespace && !isSet(old?.dataSourceRef)) delete filled.dataSourceRef;
  if (!isFilled && !isSet(filled.dataSourceRef) && !isClaimOrSnapshot(filled.dataSource)) delete filled.dataSource;
  const { dataSource, dataSourceRef } = filled;
  if (isSet(dataSource) && !isSet(dataSourceRef)) filled.dataSourceRef = referenceOf(dataSource);
  else if (isSet(dataSourceRef) && !isSet(dataSource) && !dataSourceRef.namespace) filled.dataSource = referenceOf(dataSourceRef);
  return filled;
}

function isClaimOrSnapshot(source: Loose): boolean {
  const { apiGroup, kind }: Loose = source ?? {};
  return apiGroup ? kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io' : kind === 'PersistentVolumeClaim';
}

function referenceOf({ apiGroup, kind, name }: Loose): Loose {
  return isSet(apiGroup) ? { apiGroup, kind, name } : { kind, name };
}
