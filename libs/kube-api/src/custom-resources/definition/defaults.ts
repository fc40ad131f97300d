import type { JsonObject } from '#libs/kernel';
import { objectIn, setAbsent, setEmpty } from '../../defaults/draft';
import { listOf } from '../../validation/values';

const webhookPort = 443;

/** Upstream `SetDefaults_CustomResourceDefinition`. */
export function setDefinitionDefaults(definition: JsonObject): void {
  const spec = objectIn(definition, 'spec') ?? {};
  const names = objectIn(spec, 'names');
  if (names) setNameDefaults(names);
  setAbsent(spec, 'conversion', { strategy: 'None' });
  const webhook = objectIn(objectIn(spec, 'conversion') ?? {}, 'webhook');
  const service = objectIn(objectIn(webhook ?? {}, 'clientConfig') ?? {}, 'service');
  if (service) setAbsent(service, 'port', webhookPort);
  const storage = storageVersionOf(spec);
  const status = objectIn(definition, 'status');
  if (status && storage !== undefined && listOf(status['storedVersions']).length === 0) status['storedVersions'] = [storage];
}

function setNameDefaults(names: JsonObject): void {
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  if (kind === '') return;
  setEmpty(names, 'singular', kind.toLowerCase());
  setEmpty(names, 'listKind', `${kind}List`);
}

/** The first version that is marked so. */
export function storageVersionOf(spec: unknown): string | undefined {
  const versions = listOf((spec as { versions?: unknown } | undefined)?.versions) as { name: string; storage: boolean }[];
  return versions.find(({ storage }) => storage)?.name;
}
