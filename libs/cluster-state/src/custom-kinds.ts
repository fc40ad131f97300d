import type { GroupResource, KubeObject } from '#libs/kernel';
import type { KindCatalogue } from '#libs/kube-api';

/** How the kinds of a cluster follow its definitions of custom kinds, as rules of the API. */
export interface KindRules {
  /** The resource whose objects define kinds. */
  readonly definitions: GroupResource;
  /** The kinds after a definition has come, changed or gone. @param kinds absent: those of the release */
  after(kinds: KindCatalogue | undefined, before: KubeObject | undefined, after: KubeObject | undefined): KindCatalogue | undefined;
}

let rules: KindRules | undefined;

/** The rules are those of kube-api, which stands above this library and gives them when it is loaded. */
export function setKindRules(given: KindRules): void {
  rules = given;
}

/** The kinds of a cluster after a change of one of its objects. */
export function kindsAfter(
  kinds: KindCatalogue | undefined,
  resource: GroupResource,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): KindCatalogue | undefined {
  return rules?.definitions === resource ? rules.after(kinds, before, after) : kinds;
}
