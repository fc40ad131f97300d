import type { CertificateRequest } from './pkcs10';

export const clientSigner = 'kubernetes.io/kube-apiserver-client';
export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
export const kubeletServingSigner = 'kubernetes.io/kubelet-serving';

/** Who the cluster's own signers sign for; undefined: they sign it, else why they do not, in upstream's words. */
export type SignerRule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** By the signer's name. One that is not here is somebody else's. */
export const ownSigners: Readonly<Record<string, SignerRule>> = {
  [clientSigner]: (_, usages) => clientUsageProblem(usages),
  [kubeletClientSigner]: kubeletClientProblem,
  [kubeletServingSigner]: kubeletServingProblem,
};

const nodesGroup = 'system:nodes';
const nodePrefix = 'system:node:';
const notOfNodes = 'subject organization is not system:nodes';
const notOfNode = 'subject common name does not begin with system:node:';

function isOfNodes({ organizations }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === nodesGroup;
}

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => usage !== 'client auth' && usage !== 'digital signature' && usage !== 'key encipherment');
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** A kubelet that is a client of the API server: a node by its name, and nothing else. */
export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return notOfNodes;
  const { dns, email, ip, uri } = request.alternativeNames;
  if (dns > 0) return 'DNS subjectAltNames are not allowed';
  if (email > 0) return 'Email subjectAltNames are not allowed';
  if (ip > 0) return 'IP subjectAltNames are not allowed';
  if (uri > 0) return 'URI subjectAltNames are not allowed';
  if (!request.commonName.startsWith(nodePrefix)) return notOfNode;
  return usagesProblem(usages, 'client auth');
}

/** A kubelet that others connect to. */
function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return notOfNodes;
  const { dns, email, ip, uri } = request.alternativeNames;
  if (dns === 0 && ip === 0) return 'DNS or IP subjectAltName is required';
  if (email > 0) return 'Email subjectAltNames are not allowed';
  if (uri > 0) return 'URI subjectAltNames are not allowed';
  return usagesProblem(usages, 'server auth') ?? (request.commonName.startsWith(nodePrefix) ? undefined : notOfNode);
}

/** Key encipherment is for RSA keys, and may be left out. */
function usagesProblem(usages: readonly string[], purpose: string): string | undefined {
  const all = [purpose, 'digital signature', 'key encipherment'];
  const given = new Set(usages);
  const isRight = given.has(purpose) && given.has('digital signature') && [...given].every((usage) => all.includes(usage));
  return isRight ? undefined : `usages did not match [${all.sort().join(' ')}]`;
}
