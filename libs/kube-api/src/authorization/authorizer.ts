import { isPrivileged, type Attributes, type User } from './attributes';
import type { PolicyRule } from './rbac/policy-rule';

export interface Authorization {
  /** `none`: another authoriser may say more; where none does, it is refused. */
  decision: 'allow' | 'deny' | 'none';
  /** Why: behind the text of a refusal, and in reviews. Empty where nothing is to be said. */
  reason: string;
}

/** Says who may do what. Asks folds only, so it answers at once. */
export interface Authorizer {
  authorize(attributes: Attributes): Authorization;
}

/** What somebody may do in a namespace (and everywhere), and what could not be found out. */
export interface KnownRules {
  rules: readonly PolicyRule[];
  /** Roles that are bound to somebody and are not there. */
  missing: readonly RoleRef[];
}

/** The role that a binding gives. */
export interface RoleRef {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

/** Lists what somebody may do, as far as it can be listed. */
export interface RuleResolver {
  rulesFor(user: User, namespace: string): KnownRules;
}

/** Who may do what in a cluster, and so who may give what to others. */
export interface Access extends Authorizer, RuleResolver {
  /** Of the role that a binding in a namespace (none: of the whole cluster) names. Undefined: there is no such role. */
  rulesOfRole(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

/** Who asks for a write, where it is to be looked at who that is. */
export interface Requester {
  readonly user: User;
  readonly access: Access;
}

const allowed: Authorization = { decision: 'allow', reason: '' };
const unknown: Authorization = { decision: 'none', reason: '' };

/** The group that may do anything. */
export const privileged: Authorizer = {
  authorize: ({ user }) => (isPrivileged(user) ? allowed : unknown),
};

/** The first of them that allows or denies decides; where none does, all reasons are told. */
export function union(...authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(attributes) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const answer = authorizer.authorize(attributes);
        if (answer.decision !== 'none') return answer;
        if (answer.reason !== '') reasons.push(answer.reason);
      }
      return reasons.length === 0 ? unknown : { decision: 'none', reason: reasons.join('\n') };
    },
  };
}
