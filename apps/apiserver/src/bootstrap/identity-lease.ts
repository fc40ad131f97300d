import { createHash } from 'node:crypto';
import { derivedUid } from '#libs/kernel';
import { draft, type DefaultObject } from './default-object';

/** How long a server that tells nothing of itself any more still counts as there, seconds. */
const durationSeconds = 3_600;

/**
 * The Lease by which API servers know one another. Nobody watches over it in a cluster that has one server, so it is not renewed: the log of
 * a cluster at rest does not grow.
 * @param now cluster time, ms
 */
export function identityLease(host: string, now: number): DefaultObject {
  const name = `apiserver-${identityOf(host)}`;
  const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': host };
  const spec = {
    holderIdentity: `${name}_${derivedUid(`${name}/${now}`)}`,
    leaseDurationSeconds: durationSeconds,
    renewTime: `${new Date(now).toISOString().slice(0, -1)}000Z`,
  };
  return { resource: 'leases.coordination.k8s.io', object: { ...draft({ name, namespace: 'kube-system', labels }), spec } };
}

/** 26 characters that follow from the name of the host. */
function identityOf(host: string): string {
  const parts = [host, 'kube-apiserver'].map((text) => {
    const bytes = Buffer.from(text);
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
  });
  return base32(createHash('sha256').update(Buffer.concat(parts)).digest().subarray(0, 16));
}

const digits = 'abcdefghijklmnopqrstuvwxyz234567';

/** Lower-case base32 without padding. */
function base32(bytes: Uint8Array): string {
  let bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  bits = bits.padEnd(Math.ceil(bits.length / 5) * 5, '0');
  return (bits.match(/.{5}/g) ?? []).map((five) => digits[Number.parseInt(five, 2)]).join('');
}
