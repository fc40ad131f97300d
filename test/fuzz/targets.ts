// What can be asked for: every served kind, with objects of it that are valid as they stand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#libs/kernel';
import { releaseKinds, type ResourceKind } from '#libs/kube-api';
import { content } from '../odd-values.fixture';
import { goldenFolder } from '../golden/golden-folder';

export interface Target {
  kind: ResourceKind;
  root: string;
  /** Without a name. */
  bases: readonly JsonObject[];
}

interface RecordedBase {
  kind: string;
  create: JsonObject;
}

function recordedBases(): Map<string, JsonObject[]> {
  const folder = goldenFolder('validation');
  const found = new Map<string, JsonObject[]>();
  if (!folder) return found;
  for (const line of readFileSync(join(folder, 'bases.jsonl'), 'utf8').split('\n')) {
    if (line === '') continue;
    const { kind, create } = JSON.parse(line) as RecordedBase;
    const of = kind.replace(' ', '/');
    found.set(of, [...(found.get(of) ?? []), create]);
  }
  return found;
}

let all: readonly Target[] | undefined;

export function targets(): readonly Target[] {
  if (all) return all;
  const recorded = recordedBases();
  all = releaseKinds.all
    .filter(({ served }) => served)
    .map((kind) => {
      const bases = (recorded.get(`${kind.apiVersion}/${kind.kind}`) ?? []).map(
        ({ kind: _, apiVersion: __, ...object }) => object as JsonObject,
      );
      const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
      return { kind, root, bases: [...bases, content[kind.groupResource] ?? {}] };
    });
  return all;
}
