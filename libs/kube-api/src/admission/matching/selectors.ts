import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector, type LabelSelector, type ObjectSelector } from '../../selectors';
import { notFound, type Failure } from '../../status';
import type { Attributes } from '../attributes';

/** By the selector's own object, which stays the same for as long as its configuration does. */
const compiled = new WeakMap<ObjectSelector, LabelSelector>();

/** Undefined: everything is selected. */
function selectorOf(selector: ObjectSelector | null | undefined): LabelSelector | undefined {
  if (!selector) return undefined;
  let known = compiled.get(selector);
  if (!known) compiled.set(selector, (known = compileObjectSelector(selector)));
  return known.requirements.length === 0 && known.matches({}) ? undefined : known;
}

/** Whether the request's namespace is selected; cluster-scoped objects always are, but for Namespaces, which are by their own labels. */
export function namespaceSelected(selector: ObjectSelector | null | undefined, request: Attributes): boolean | Failure {
  if (request.namespace === '' && !request.isNamespace) return true;
  const wanted = selectorOf(selector);
  if (!wanted) return true;
  const { operation, subresource, object, admission } = request;
  if (request.isNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return wanted.matches(object?.metadata.labels);
  const found = admission.lookup.namespace(request.namespace);
  return found ? wanted.matches(found.metadata.labels) : notFound('namespaces', request.namespace);
}

/** Whether the object is selected as it is or as it was. */
export function objectSelected(selector: ObjectSelector | null | undefined, { object, old }: Attributes): boolean {
  const wanted = selectorOf(selector);
  if (!wanted) return true;
  const matches = (candidate: KubeObject | undefined): boolean =>
    candidate?.metadata !== undefined && wanted.matches(candidate.metadata.labels);
  return matches(object) || matches(old);
}
