import type { JsonObject } from '#libs/kernel';
import { listIn, objectIn, setAbsent, setEmpty } from '../../../defaults/draft';

/** 0644 */
const defaultMode = 420;

/** A volume without a source is an emptyDir; files have mode 0644; references to fields are of v1. */
export function defaultVolume(volume: JsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume['emptyDir'] = {};
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const given = objectIn(volume, source);
    if (given) setAbsent(given, 'defaultMode', defaultMode);
  }
  const downward = objectIn(volume, 'downwardAPI');
  if (downward) defaultDownwardItems(downward);
  const projected = objectIn(volume, 'projected');
  for (const source of projected ? listIn(projected, 'sources') : []) {
    const token = objectIn(source, 'serviceAccountToken');
    if (token) setAbsent(token, 'expirationSeconds', 3600);
    const items = objectIn(source, 'downwardAPI');
    if (items) defaultDownwardItems(items);
  }
  const hostPath = objectIn(volume, 'hostPath');
  if (hostPath) setAbsent(hostPath, 'type', '');
  const template = objectIn(objectIn(volume, 'ephemeral') ?? {}, 'volumeClaimTemplate');
  const claim = template && objectIn(template, 'spec');
  if (claim) setAbsent(claim, 'volumeMode', 'Filesystem');
}

function defaultDownwardItems(source: JsonObject): void {
  for (const item of listIn(source, 'items')) defaultFieldReference(item);
}

export function defaultFieldReference(holder: JsonObject): void {
  const field = objectIn(holder, 'fieldRef');
  if (field) setEmpty(field, 'apiVersion', 'v1');
}
