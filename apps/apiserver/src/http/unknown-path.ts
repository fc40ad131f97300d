import { releaseKinds, unknownResource, type Failure } from '#libs/kube-api';
import { pageNotFound, type Answer } from './answer';

/** What no route of upstream's matches: groups of the release have routes of their own, which answer with a Status; groups of custom kinds have none. */
export function unknownPath(group: string): Answer | Failure {
  return releaseKinds.hasGroup(group) ? unknownResource() : pageNotFound();
}
