import { passingText } from '#libs/kernel';
import type { Snapshot } from './snapshot';

/** Entries of a list that are written out in one go: a fraction of a millisecond. */
const entriesPerLine = 32;

type Lists = { [K in keyof Snapshot as Snapshot[K] extends unknown[] ? K : never]: Snapshot[K] } & Snapshot['indices'];

function emptyLists(): Lists {
  return {
    objects: [],
    nodePods: [],
    ownerDependents: [],
    heads: [],
    buriedHeads: [],
    recentIds: [],
    attempts: [],
    acts: [],
    dialogues: [],
    pendingReviews: [],
    nodeRecords: [],
    killedSandboxes: [],
    nodeImages: [],
    programs: [],
    podMarks: [],
  };
}

/**
 * A snapshot as lines of JSON, each a short piece of work: whoever writes a large one can let others have their turn in between. The first
 * line is what is no list, each of the others a few entries of one of them.
 */
export function* snapshotLines({ indices, ...snapshot }: Snapshot): Generator<string> {
  const lists: Record<string, readonly unknown[]> = { ...emptyLists() };
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries({ ...snapshot, ...indices })) {
    if (Object.hasOwn(lists, name)) lists[name] = value as readonly unknown[];
    else rest[name] = value;
  }
  yield JSON.stringify(rest);
  for (const [name, entries] of Object.entries(lists)) {
    for (let i = 0; i < entries.length; i += entriesPerLine) yield lineOf(name, entries.slice(i, i + entriesPerLine));
  }
}

function lineOf(name: string, entries: readonly unknown[]): string {
  if (name !== 'objects') return JSON.stringify([name, entries]);
  return `["objects",[${(entries as Snapshot['objects']).map(entryText).join(',')}]]`;
}

function entryText([resource, key, object]: Snapshot['objects'][number]): string {
  return `[${JSON.stringify(resource)},${JSON.stringify(key)},${passingText(object)}]`;
}

/** The snapshot that lines were made of; they are trusted to be whole. */
export function snapshotOfLines([first, ...lines]: readonly string[]): Snapshot {
  const lists = emptyLists();
  for (const line of lines) {
    const [name, entries] = JSON.parse(line) as [keyof Lists, never[]];
    for (const entry of entries) lists[name].push(entry);
  }
  const { nodePods, ownerDependents, ...others } = lists;
  return { ...(JSON.parse(first ?? '{}') as Omit<Snapshot, keyof Lists | 'indices'>), ...others, indices: { nodePods, ownerDependents } };
}
