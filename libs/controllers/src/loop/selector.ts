import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector, type LabelSelector } from '#libs/kube-api';

/** Objects share what did not change between versions, so a selector is compiled once for all versions of its object. */
const compiled = new WeakMap<object, LabelSelector>();

/** `spec.selector`, compiled: an empty one matches every pod of the namespace, a missing one none. */
export function selectorOf(object: KubeObject): LabelSelector {
  const selector = object.spec?.selector as object | undefined;
  if (!selector) return compileObjectSelector(undefined);
  let found = compiled.get(selector);
  if (!found) compiled.set(selector, (found = compileObjectSelector(selector)));
  return found;
}
