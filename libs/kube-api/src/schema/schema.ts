import recorded from '../../data/v1.34.json';
import type { SchemaData } from './data-format';
import { Definitions } from './definition';
import type { Definition } from './definition';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Facts about the recorded release. */
export const schemaData = recorded as unknown as SchemaData;

/** The structs of the recorded release, by short name. */
export const releaseDefinitions = new Definitions(schemaData);

/** The definition of a short name of the release; undefined where it has none. */
export function definitionOf(name: string): Definition | undefined {
  return releaseDefinitions.find(name);
}

/** As `definitionOf`, for a name that code knows to exist. */
export function definition(name: string): Definition {
  return releaseDefinitions.get(name);
}

/** The definition of a kind of the release, be it a resource or not; DeleteOptions and WatchEvent belong to every group version. */
export function schemaOf({ group, version, kind }: GroupVersionKind): Definition | undefined {
  const { kinds } = schemaData;
  const key = `${group === '' ? version : `${group}/${version}`}/${kind}`;
  const name = Object.hasOwn(kinds, key) ? kinds[key] : Object.hasOwn(kinds, `*/${kind}`) ? kinds[`*/${kind}`] : undefined;
  return name === undefined ? undefined : definitionOf(name);
}
