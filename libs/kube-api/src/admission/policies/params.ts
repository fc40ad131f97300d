import type { JsonObject, KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../../kinds';
import { parseApiVersion } from '../../kinds/names';
import { compileObjectSelector } from '../../selectors';
import { versioned, type Attributes } from '../attributes';
import type { ParamKind, ParamRef } from './policy';

/** What a policy is configured with, or why that cannot be found. `null`: it is judged without parameters. */
export type Params = readonly (JsonObject | null)[] | { readonly error: string };

/** The parameters of a binding (upstream: `CollectParams`). */
export function paramsOf(paramKind: ParamKind | null | undefined, paramRef: ParamRef | null | undefined, request: Attributes): Params {
  if (!paramKind || !paramRef) return [null];
  const kind = request.called.kinds.findKind(paramKind.apiVersion ?? '', paramKind.kind ?? '');
  if (!kind) return [];
  if (!kind.namespaced && paramRef.namespace) return { error: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  const namespace = kind.namespaced ? paramRef.namespace || request.namespace : undefined;
  if (namespace === '') return { error: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
  const found = [...chosen(kind, namespace, paramRef, request)];
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny')
    return { error: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
  return found.map((param) => versioned(kind, param));
}

function* chosen(
  { storage }: ResourceKind,
  namespace: string | undefined,
  { name, selector }: ParamRef,
  { admission: { lookup } }: Attributes,
): Iterable<KubeObject> {
  const objects = lookup.list?.(storage, namespace) ?? [];
  const wanted = name ? undefined : compileObjectSelector(selector);
  for (const object of objects) if (name ? object.metadata.name === name : wanted?.matches(object.metadata.labels)) yield object;
}

/** The kind of parameters that a policy names, where the cluster does not have it; as Go prints it. */
export function unknownParamKind(paramKind: ParamKind | null | undefined, { called }: Attributes): string | undefined {
  if (!paramKind || called.kinds.findKind(paramKind.apiVersion ?? '', paramKind.kind ?? '')?.served) return undefined;
  const { group, version } = parseApiVersion(paramKind.apiVersion ?? '') ?? { group: '', version: '' };
  return `${group}/${version}, Kind=${paramKind.kind ?? ''}`;
}
