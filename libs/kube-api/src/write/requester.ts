import { jsonEqual, type KubeObject } from '#libs/kernel';
import { restrictNode, type NodeWrite } from '../admission';
import { forbiddenBy, nodeOf, refuseEscalation, type Requester } from '../authorization';
import type { ResourceKind } from '../kinds';
import { forbiddenRequest, type Failure } from '../status';
import { goQuote } from '../status/go-value';
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
  if (!requester || nodeOf(requester.user) === undefined || state.admission?.disabled.includes('NodeRestriction')) return undefined;
  return restrictNode(write, requester.user, (name) => state.get('nodes', undefined, name));
}

const requests = 'certificatesigningrequests.certificates.k8s.io';

/** Who approves or signs a CertificateSigningRequest has to be let to do so for its signer (upstream CertificateApproval, CertificateSigning). */
export function refuseSigner(
  state: StateView,
  { resource, subresource, name, object, old }: NodeWrite,
  { requester }: WriteContext,
): Failure | undefined {
  if (!requester || resource !== requests || !old) return undefined;
  const disabled = state.admission?.disabled ?? [];
  const signer = (old.spec?.signerName as string | undefined) ?? '';
  if (subresource === 'approval') {
    if (disabled.includes('CertificateApproval') || maySign(requester, 'approve', signer)) return undefined;
    return forbiddenRequest(resource, name, `user not permitted to approve requests with signerName ${goQuote(signer)}`);
  }
  const { certificate: now, conditions } = object.status ?? {};
  const isSame = jsonEqual(now ?? '', old.status?.certificate ?? '') && jsonEqual(conditions ?? [], old.status?.conditions ?? []);
  if (subresource !== 'status' || isSame || disabled.includes('CertificateSigning') || maySign(requester, 'sign', signer)) return undefined;
  return forbiddenRequest(resource, name, `user not permitted to sign requests with signerName ${goQuote(signer)}`);
}

/** For the signer by its name, or for all of its domain: `example.com/*`. */
function maySign({ user, access }: Requester, verb: string, signer: string): boolean {
  const domain = `${signer.split('/', 1)[0]}/*`;
  const asked = { user, verb, group: 'certificates.k8s.io', version: '*', resource: 'signers', subresource: '', namespace: '' };
  return [signer, domain].some((name) => access.authorize({ ...asked, name }).decision === 'allow');
}
