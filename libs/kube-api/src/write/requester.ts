import type { KubeObject } from '#libs/kernel';
import { restrictNode, type NodeWrite } from '../admission';
import { forbiddenBy, refuseEscalation } from '../authorization';
import type { ResourceKind } from '../kinds';
import type { Failure } from '../status';
import type { StateView, WriteContext } from './request';

/** What whoever asks for a write may not make of an object, which no path tells: a role or a binding that gives more than he has. */
export function refuseGrant(
  kind: ResourceKind,
  object: KubeObject,
  old: KubeObject | undefined,
  path: { namespace?: string; name?: string },
  { requester }: WriteContext,
): Failure | undefined {
  if (!requester) return undefined;
  const { namespace = '', name = '' } = path;
  return refuseEscalation({ kind, object, old, namespace, name }, requester.user, requester.access);
}

/** Whoever may update does not yet create what he would update. */
export function refuseCreateOnUpdate(
  { group, version, resource }: ResourceKind,
  path: { namespace?: string; name?: string; subresource?: string },
  { requester }: WriteContext,
): Failure | undefined {
  if (!requester) return undefined;
  const { namespace = '', name = '', subresource = '' } = path;
  const attributes = { user: requester.user, verb: 'create', group, version, resource, subresource, namespace, name };
  const { decision, reason } = requester.access.authorize(attributes);
  return decision === 'allow' ? undefined : forbiddenBy(attributes, reason);
}

/** What a node may not write of others, or of itself; looked at where plug-in NodeRestriction is not turned off. */
export function refuseNode(state: StateView, write: NodeWrite, { requester }: WriteContext): Failure | undefined {
  if (!requester || state.admission?.disabled.includes('NodeRestriction')) return undefined;
  return restrictNode(write, requester.user, (name) => state.get('nodes', undefined, name));
}
