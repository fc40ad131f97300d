import { jsonEqual, type GroupResource, type KubeObject } from '#libs/kernel';
import { nodeOf, type User } from '../authorization';
import { readCertificateRequest } from '../kinds/certificates/pkcs10';
import { forbiddenRequest, notFound, type Failure } from '../status';
import { goQuote } from '../status/go-value';
import { referencedKind } from './mirror-references';
import { isMirrorPod } from './service-account';

/** A write, as far as it is looked at who a node is. */
export interface NodeWrite {
  readonly resource: GroupResource;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly subresource?: string;
  readonly name: string;
  readonly namespace?: string;
  /** As it is to be; of a deletion and an eviction: as it is. */
  readonly object: KubeObject;
  readonly old?: KubeObject;
}

export type FindNode = (name: string) => KubeObject | undefined;

/** What a node may not write, in upstream's words; undefined: it may, or it is no node (upstream `NodeRestriction`). */
export function restrictNode(write: NodeWrite, user: User, find: FindNode): Failure | undefined {
  const node = nodeOf(user);
  if (node === undefined) return undefined;
  const verdict = node === '' ? `could not determine node from user ${goQuote(user.name)}` : verdictOn(write, node, find);
  return typeof verdict === 'string' ? forbiddenRequest(write.resource, write.name, verdict) : verdict;
}

type Verdict = string | Failure | undefined;

function verdictOn(write: NodeWrite, node: string, find: FindNode): Verdict {
  switch (write.resource) {
    case 'pods':
      return podVerdict(write, node, find);
    case 'nodes':
      return nodeVerdict(write, node);
    case 'persistentvolumeclaims':
      return claimVerdict(write, node);
    case 'leases.coordination.k8s.io':
      if (write.namespace !== 'kube-node-lease') return 'can only access leases in the "kube-node-lease" system namespace';
      return write.name === node ? undefined : 'can only access node lease with the same name as the requesting node';
    case 'csinodes.storage.k8s.io':
      return write.name === node ? undefined : 'can only access CSINode with the same name as the requesting node';
    case 'resourceslices.resource.k8s.io':
      return sliceVerdict(write, node);
    case 'certificatesigningrequests.certificates.k8s.io':
      return signingVerdict(write, node);
    default:
      return undefined;
  }
}

function podVerdict(write: NodeWrite, node: string, find: FindNode): Verdict {
  const { subresource = '', operation, object, old } = write;
  const isOwn = (old ?? object).spec?.nodeName === node;
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return mirrorPodVerdict(object, node, find);
      if (operation === 'DELETE') return isOwn ? undefined : `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`;
      return `unexpected operation ${goQuote(operation)}, node ${goQuote(node)} can only create and delete mirror pods`;
    case 'status':
      return isOwn
        ? podStatusVerdict(object, old, node)
        : `node ${goQuote(node)} can only update pod status for pods with spec.nodeName set to itself`;
    case 'eviction':
      return isOwn ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
  }
}

/** Of its own pods a node makes none but images of what it runs by itself, which reach for nothing in the API. */
function mirrorPodVerdict(pod: KubeObject, node: string, find: FindNode): Verdict {
  const name = goQuote(node);
  if (!isMirrorPod(pod)) return `pod does not have "kubernetes.io/config.mirror" annotation, node ${name} can only create mirror pods`;
  if (pod.spec?.nodeName !== node) return `node ${name} can only create pods with spec.nodeName set to itself`;
  const owners = pod.metadata.ownerReferences ?? [];
  if (owners.length > 1) return `node ${name} can only create pods with a single owner reference set to itself`;
  const [owner] = owners;
  if (!owner || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `node ${name} can only create pods with an owner reference set to itself`;
  if (!owner.controller) return `node ${name} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `node ${name} must not set blockOwnerDeletion on an owner reference`;
  const found = find(node);
  if (!found) return notFound('nodes', node);
  if (found.metadata.uid !== owner.uid) return `node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata.uid}`;
  const referenced = referencedKind(pod);
  return referenced === undefined ? undefined : `node ${name} can not create pods that reference ${referenced}`;
}

function podStatusVerdict(pod: KubeObject, old: KubeObject | undefined, node: string): Verdict {
  const name = goQuote(node);
  if (!jsonEqual(pod.metadata.labels ?? {}, old?.metadata.labels ?? {})) return `node ${name} cannot update labels through pod status`;
  const { status: now } = pod;
  const before = old?.status;
  if (!jsonEqual(now?.resourceClaimStatuses ?? [], before?.resourceClaimStatuses ?? []))
    return `node ${name} cannot update resource claim statues`;
  return jsonEqual(now?.extendedResourceClaimStatus, before?.extendedResourceClaimStatus)
    ? undefined
    : `node ${name} cannot update extended resource claim status`;
}

function nodeVerdict({ name: asked, operation, object, old }: NodeWrite, node: string): Verdict {
  const name = goQuote(node);
  if (asked !== node) return `node ${name} is not allowed to modify node ${goQuote(asked)}`;
  if (operation === 'DELETE') return undefined;
  const labels = forbiddenLabels(changedKeys(object.metadata.labels, old?.metadata.labels));
  const { configSource, taints } = object.spec ?? {};
  if (operation === 'CREATE') {
    if (configSource) return `node ${name} is not allowed to create pods with a non-nil configSource`;
    return labels.length > 0 ? `node ${name} is not allowed to set the following labels: ${labels.join(', ')}` : undefined;
  }
  if (configSource && !jsonEqual(configSource, old?.spec?.configSource))
    return `node ${name} is not allowed to update configSource to a new non-nil configSource`;
  if (!jsonEqual(taints ?? [], old?.spec?.taints ?? [])) return `node ${name} is not allowed to modify taints`;
  if (!jsonEqual(object.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? []))
    return `node ${name} is not allowed to modify ownerReferences`;
  return labels.length > 0 ? `is not allowed to modify labels: ${labels.join(', ')}` : undefined;
}

function changedKeys(now: Record<string, string> = {}, before: Record<string, string> = {}): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((key) => now[key] !== before[key]).sort();
}

const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const kubeletDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

const isIn = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** Labels of Kubernetes by which pods are steered: a node sets those that kubelets know, and no others. */
function forbiddenLabels(keys: readonly string[]): string[] {
  return keys.filter((key) => {
    const slash = key.indexOf('/');
    const domain = slash < 0 ? '' : key.slice(0, slash);
    if (isIn(domain, 'node-restriction.kubernetes.io')) return true;
    if (!isIn(domain, 'kubernetes.io') && !isIn(domain, 'k8s.io')) return false;
    return !kubeletLabels.has(key) && !kubeletDomains.some((known) => isIn(domain, known));
  });
}

/** What a node may write of the claim of a volume that it resizes. */
const claimStatusFields = ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources'];

function claimVerdict({ subresource, operation, object, old }: NodeWrite, node: string): Verdict {
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'UPDATE' || !old) return `unexpected operation ${goQuote(operation)}`;
  return jsonEqual(withoutOwnFields(object), withoutOwnFields(old))
    ? undefined
    : `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutOwnFields({ metadata, status, ...rest }: KubeObject): object {
  const { resourceVersion: _version, managedFields: _owners, ...kept } = metadata;
  const others = Object.entries(status ?? {}).filter(([key]) => !claimStatusFields.includes(key));
  return { ...rest, metadata: kept, status: Object.fromEntries(others) };
}

function sliceVerdict({ operation, object }: NodeWrite, node: string): Verdict {
  if (operation === 'UPDATE' || object.spec?.nodeName === node) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

const nodeSigners: ReadonlySet<string> = new Set(['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']);

function signingVerdict({ operation, object }: NodeWrite, node: string): Verdict {
  const { signerName = '', request = '' } = (object.spec ?? {}) as { signerName?: string; request?: string };
  if (operation !== 'CREATE' || !nodeSigners.has(signerName)) return undefined;
  const read = readCertificateRequest(request);
  if (typeof read === 'string') return `unable to parse csr: ${read}`;
  return read.commonName === `system:node:${node}` ? undefined : `can only create a node CSR with CN=system:node:${node}`;
}
