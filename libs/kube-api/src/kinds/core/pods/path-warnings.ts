import { goQuote } from '../../../status/go-value';
import { isSet, listOf, type Loose } from '../../../validation/values';

/** A file of a volume, and where it comes from where there are several places. */
interface Placed {
  path: string;
  source: string;
}

/** Files of a volume that hide one another, by name or by lying in each other: whoever is written last wins, or none can be written. */
export function warnAboutPaths(volume: Loose, warnings: string[]): void {
  const { configMap, secret, downwardAPI, projected } = volume;
  const warn = (what: string, [file, other]: [Placed, Placed]) =>
    warnings.push(`volume ${goQuote(volume.name ?? '')} (${what}): overlapping paths: ${shown(file)} with ${shown(other)}`);
  const single = (what: string, items: unknown) => {
    for (const pair of overlapsIn(placed(items, ''))) warn(what, pair);
  };
  if (configMap) single(`ConfigMap ${goQuote(configMap.name ?? '')}`, configMap.items);
  if (secret) single(`Secret ${goQuote(secret.secretName ?? '')}`, secret.items);
  if (downwardAPI) single('DownwardAPI', downwardAPI.items);
  if (!projected) return;
  const files: Placed[] = [];
  for (const source of listOf(projected.sources)) {
    // Also one of a feature that is off, and so is nothing.
    if (isEmpty(source)) warnings.push(`volume ${goQuote(volume.name ?? '')} (Projected) has no sources provided`);
    files.push(...filesOf(source));
  }
  for (const pair of overlapsIn(files)) warn('Projected', pair);
}

const projections = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'];

function isEmpty(source: Loose): boolean {
  return !projections.some((key) => isSet(source[key]));
}

function filesOf({ configMap, secret, downwardAPI, serviceAccountToken }: Loose): Placed[] {
  if (configMap?.items) return placed(configMap.items, `ConfigMap ${goQuote(configMap.name ?? '')}`);
  if (secret?.items) return placed(secret.items, `Secret ${goQuote(secret.name ?? '')}`);
  if (downwardAPI?.items) return placed(downwardAPI.items, 'DownwardAPI');
  return serviceAccountToken ? placed([serviceAccountToken], 'ServiceAccountToken') : [];
}

function placed(items: unknown, source: string): Placed[] {
  return listOf(items).map(({ path = '' }) => ({ path: path.replace(/\/+$/, ''), source }));
}

function* overlapsIn(files: readonly Placed[]): Generator<[Placed, Placed]> {
  for (const [index, file] of files.entries()) {
    if (file.path === '') continue;
    for (const other of files.slice(0, index)) {
      if (other.path !== '' && (isWithin(file, other) || isWithin(other, file))) yield [file, other];
    }
  }
}

function isWithin(file: Placed, folder: Placed): boolean {
  return `${file.path}/`.startsWith(`${folder.path}/`);
}

function shown({ path, source }: Placed): string {
  return source === '' ? goQuote(path) : `${goQuote(path)} (${source})`;
}
