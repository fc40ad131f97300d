import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../authentication/client-certificates';

/** Certificates that are followed from the client's own to its authority. */
const chainMax = 5;

/** By connection: what it has shown stays as it is, and reading it out takes longer than the rest of letting a request in. */
const shown = new WeakMap<TLSSocket, { peer: PeerCertificate | undefined }>();

export function peerCertificateOf(socket: TLSSocket | undefined): PeerCertificate | undefined {
  if (!socket) return undefined;
  let found = shown.get(socket);
  if (!found) {
    found = { peer: read(socket) };
    shown.set(socket, found);
  }
  return found.peer;
}

function read(socket: TLSSocket): PeerCertificate | undefined {
  const certificate = socket.getPeerX509Certificate?.();
  if (!certificate) return undefined;
  const chain: X509Certificate[] = [];
  for (let next = certificate.issuerCertificate; next && chain.length < chainMax; next = next.issuerCertificate) {
    if (next.fingerprint256 === (chain.at(-1) ?? certificate).fingerprint256) break;
    chain.push(next);
  }
  return { certificate, chain };
}
