import type { FieldRequirement } from '../selectors';

/** Who asks, as authentication tells it (upstream `user.Info`). */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What the credentials say besides, by lower-case key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Whoever is in this group may do anything. */
export const privilegedGroup = 'system:masters';

export function isPrivileged({ groups }: Pick<User, 'groups'>): boolean {
  return groups.includes(privilegedGroup);
}

/** What is asked of a resource. Names and namespaces that are not given are empty. */
export interface ResourceAttributes {
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  /** `*`: any. */
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Of list, watch and deletecollection: what the answer is narrowed to; absent where it is not, or that cannot be read. */
  readonly fieldSelector?: readonly FieldRequirement[];
}

/** What is asked of a path that is no resource. */
export interface PathAttributes {
  readonly user: User;
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

/** What an authoriser is asked (upstream `authorizer.Attributes`). */
export type Attributes = ResourceAttributes | PathAttributes;

export function isOfResource(attributes: Attributes): attributes is ResourceAttributes {
  return 'resource' in attributes;
}
