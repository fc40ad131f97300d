import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';
import { listIn, objectIn } from './draft';

/**
 * Fields that say the same thing twice. Upstream keeps one of each pair inside and writes both out, so that either may be given.
 */

/** `serviceAccount` is the former name of `serviceAccountName`. */
export function alignServiceAccount(spec: JsonObject): void {
  const name = spec['serviceAccountName'] || spec['serviceAccount'];
  if (!name) return;
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
}

/** The single value leads where the two disagree: it is what older writers know. */
function align(holder: JsonObject, single: string, list: string, first: Json | undefined, wrap: (value: Json) => Json): void {
  const value = holder[single];
  if (value && value !== first) holder[list] = [wrap(value)];
  else if (!value && first) holder[single] = first;
}

/** `podIP` is the first of `podIPs`. */
export function alignPodAddresses(status: JsonObject | undefined): void {
  if (status) align(status, 'podIP', 'podIPs', listIn(status, 'podIPs')[0]?.['ip'], (ip) => ({ ip }));
}

/** `podCIDR` is the first of `podCIDRs`. */
export function alignNodeCidrs(spec: JsonObject | undefined): void {
  const list = spec?.['podCIDRs'];
  if (spec) align(spec, 'podCIDR', 'podCIDRs', Array.isArray(list) ? list[0] : undefined, (cidr) => cidr);
}

/** `stringData` is a way to write `data` and is never read back. */
export function mergeStringData(secret: JsonObject): void {
  const texts = objectIn(secret, 'stringData');
  if (!texts) return;
  const data = objectIn(secret, 'data') ?? {};
  for (const key of Object.keys(texts)) setOwn(data, key, Buffer.from(String(texts[key]), 'utf8').toString('base64'));
  secret['data'] = data;
  delete secret['stringData'];
}
