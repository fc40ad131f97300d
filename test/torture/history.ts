import type { KubeObject } from '#libs/kernel';

/** One frame of a watch. */
export interface Frame {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
}

/** One state of an object: from its version on, until the next. */
export interface Version {
  /** resourceVersion. */
  from: number;
  /** resourceVersion of the next version or of the deletion; Infinity: it is still so. */
  until: number;
  object: KubeObject;
}

/** One life of an object: between its creation and its deletion. */
export interface Life {
  uid: string;
  versions: Version[];
  /** resourceVersion of the deletion; Infinity: it still lives. */
  deletedAt: number;
  /** As the last frame shows it. */
  last?: KubeObject;
}

export const versionOf = (object: KubeObject): number => Number(object.metadata.resourceVersion);

/**
 * The lives of every object, by `resource/name`, from the frames of a watch over each resource.
 * @throws when the frames themselves are no history: a version twice, a change of what is not there, a creation of what is.
 */
export function livesOf(resource: string, frames: readonly Frame[]): Map<string, Life[]> {
  const lives = new Map<string, Life[]>();
  let last = 0;
  for (const { type, object } of frames) {
    const key = `${resource}/${object.metadata.name}`;
    const at = versionOf(object);
    if (at <= last) throw new Error(`${type} ${key} has version ${at} after ${last}`);
    last = at;
    const known = lives.get(key) ?? [];
    lives.set(key, known);
    const life = known[known.length - 1];
    const alive = life !== undefined && life.deletedAt === Infinity;
    if (type === 'ADDED') {
      if (alive) throw new Error(`ADDED ${key} at ${at}, which is there already`);
      known.push({ uid: object.metadata.uid as string, versions: [{ from: at, until: Infinity, object }], deletedAt: Infinity });
      continue;
    }
    if (!alive) throw new Error(`${type} ${key} at ${at}, which is not there`);
    (life.versions[life.versions.length - 1] as Version).until = at;
    if (type === 'MODIFIED') life.versions.push({ from: at, until: Infinity, object });
    else Object.assign(life, { deletedAt: at, last: object });
  }
  return lives;
}
