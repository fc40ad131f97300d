import type { GroupResource, KubeObject } from '#libs/kernel';
import { claimsOf, nodeOf, type Requester } from '../authorization';
import { forbiddenRequest, notFound, type Failure } from '../status';
import { goQuote } from '../status/go-value';

/** A request for a token of a service account, as it was sent. */
export interface TokenAsked {
  readonly namespace: string;
  readonly account: string;
  readonly audiences: readonly string[];
  readonly boundTo?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
}

type Find = (resource: GroupResource, namespace: string | undefined, name: string) => KubeObject | undefined;

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** Nodes ask for tokens of pods that run on them, and for audiences that these pods name (upstream `NodeRestriction`). */
export function restrictNodeToken(asked: TokenAsked, { user, access }: Requester, find: Find): Failure | undefined {
  const node = nodeOf(user);
  if (node === undefined) return undefined;
  const { namespace, account, boundTo, audiences } = asked;
  const forbidden = (text: string): Failure => forbiddenRequest('serviceaccounts', account, text);
  if (node === '') return forbidden(`could not determine node from user ${goQuote(user.name)}`);
  if (!boundTo || boundTo.apiVersion !== 'v1' || boundTo.kind !== 'Pod' || !boundTo.name)
    return forbidden('node requested token not bound to a pod');
  if (!boundTo.uid) return forbidden('node requested token with a pod binding without a uid');
  const pod = find('pods', namespace, boundTo.name);
  if (!pod) return notFound('pods', boundTo.name);
  if (pod.metadata.uid !== boundTo.uid) {
    const text = `the UID in the bound object reference (${boundTo.uid}) does not match the UID in record`;
    return forbidden(`${text}. The object might have been deleted and then recreated`);
  }
  if (pod.spec?.nodeName !== node) return forbidden('node requested token bound to a pod scheduled on a different node');
  if (audiences.length > 1) return forbidden('node may only request 0 or 1 audiences');
  const [audience = ''] = audiences;
  if (namesAudience(pod, audience, find)) return undefined;
  const verb = 'request-serviceaccounts-token-audience';
  const attributes = { user, verb, group: '', version: 'v1', resource: audience, subresource: '', namespace, name: account };
  if (access.authorize(attributes).decision === 'allow') return undefined;
  return forbidden(
    `audience ${goQuote(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`,
  );
}

/** In a projected token, or through the driver of one of its volumes. */
function namesAudience(pod: KubeObject, audience: string, find: Find): boolean {
  const volumes: Loose[] = pod.spec?.volumes ?? [];
  const projected = volumes.flatMap(({ projected: of }) => of?.sources ?? []);
  if (projected.some(({ serviceAccountToken: token }: Loose) => token && (token.audience ?? '') === audience)) return true;
  const ofClaims = claimsOf(pod).map((claim) => driverOfClaim(pod.metadata.namespace, claim, find));
  const drivers = [...volumes.map(({ csi }) => csi?.driver), ...ofClaims];
  return drivers.some((driver) => {
    const requests: Loose[] = driver ? (find('csidrivers.storage.k8s.io', undefined, driver)?.spec?.tokenRequests ?? []) : [];
    return requests.some((request) => (request.audience ?? '') === audience);
  });
}

function driverOfClaim(namespace: string | undefined, claim: string, find: Find): string | undefined {
  const volume = find('persistentvolumeclaims', namespace, claim)?.spec?.volumeName as string | undefined;
  return volume ? (find('persistentvolumes', undefined, volume)?.spec?.csi?.driver as string | undefined) : undefined;
}
