import { passingText } from '#libs/kernel';
import type { Snapshot } from './snapshot';

/** Entries of a list that are written out in one go: a fraction of a millisecond. */
const entriesPerLine = 32;

type Lists = { [K in keyof Snapshot as Snapshot[K] extends unknown[] ? K : never]: Snapshot[K] } & Snapshot['indices'];

/**
 * A snapshot as lines of JSON, each a short piece of work: whoever writes a large one can let others have their turn in between. The first
 * line is what is no list, each of the others a few entries of one of them.
 */
export function* snapshotLines({ indices, ...snapshot }: Snapshot): Generator<string> {
  const {
    objects,
    heads,
    buriedHeads,
    recentIds,
    attempts,
    acts,
    dialogues,
    pendingReviews,
    nodeRecords,
    killedSandboxes,
    nodeImages,
    programs,
    podMarks,
    ...rest
  } = snapshot;
  yield JSON.stringify(rest);
  for (let i = 0; i < objects.length; i += entriesPerLine)
    yield `["objects",[${objects
      .slice(i, i + entriesPerLine)
      .map(entryText)
      .join(',')}]]`;
  const lists: Omit<Lists, 'objects'> = {
    ...indices,
    heads,
    buriedHeads,
    recentIds,
    attempts,
    acts,
    dialogues,
    pendingReviews,
    nodeRecords,
    killedSandboxes,
    nodeImages,
    programs,
    podMarks,
  };
  for (const [name, entries] of Object.entries(lists)) {
    for (let i = 0; i < entries.length; i += entriesPerLine) yield JSON.stringify([name, entries.slice(i, i + entriesPerLine)]);
  }
}

function entryText([resource, key, object]: Snapshot['objects'][number]): string {
  return `[${JSON.stringify(resource)},${JSON.stringify(key)},${passingText(object)}]`;
}

/** The snapshot that lines were made of; they are trusted to be whole. */
export function snapshotOfLines([first, ...lines]: readonly string[]): Snapshot {
  const lists: Lists = {
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
  for (const line of lines) {
    const [name, entries] = JSON.parse(line) as [keyof Lists, never[]];
    for (const entry of entries) lists[name].push(entry);
  }
  const { nodePods, ownerDependents, ...others } = lists;
  return { ...(JSON.parse(first ?? '{}') as Omit<Snapshot, keyof Lists | 'indices'>), ...others, indices: { nodePods, ownerDependents } };
}
