import type { GroupResource } from '#libs/kernel';
import type { ScopeRequirement } from './scopes';

/** What may be used only where a quota covers it (upstream `LimitedResource` of the plug-in's configuration). */
export interface LimitedResource {
  readonly resource: GroupResource;
  /** Parts of the names of what is limited: `requests.storage`, `pods`. */
  readonly matchContains: readonly string[];
  /** Objects in one of these scopes are limited. */
  readonly matchScopes: readonly ScopeRequirement[];
}
