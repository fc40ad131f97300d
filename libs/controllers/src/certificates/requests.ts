import type { FoldedAppend } from '#libs/cluster-state';
import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';

export const requests = 'certificatesigningrequests.certificates.k8s.io';

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
}

export function conditionsOf({ status }: KubeObject): Condition[] {
  return (status?.conditions as Condition[] | undefined) ?? [];
}

export function has(request: KubeObject, type: string): boolean {
  return conditionsOf(request).some((condition) => condition.type === type);
}

export function certificateOf({ status }: KubeObject): string {
  return (status?.certificate as string | undefined) ?? '';
}

/** The CertificateSigningRequest that an append has brought or changed. */
export function* changedRequest({ change }: FoldedAppend): Iterable<string> {
  if (change?.resource === requests && change.type !== 'DELETED') yield change.object.metadata.name;
}

/** Told before a key is used for an object. Whoever holds the key writes what it makes into the object itself, which is the record of it. */
export function signatureAsked(ask: string, resource: string, { metadata: { namespace, name, uid } }: KubeObject): Fact {
  return fact('SignatureAsked', { ask, resource, ...(namespace === undefined ? {} : { namespace }), name, uid });
}

/** What signatures have been asked for in this life of a controller, by the uid of the object. */
export class AskedSignatures {
  private readonly uids = new Set<string>();

  follow({ events }: FoldedAppend): void {
    for (const { type, data } of events) if (type === 'SignatureAsked') this.uids.add(data.uid as string);
  }

  has({ metadata }: KubeObject): boolean {
    return this.uids.has(metadata.uid);
  }
}
