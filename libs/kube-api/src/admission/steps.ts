import type { GroupResource, KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import { readCertificateRequest } from '../kinds/certificates/pkcs10';
import { clientSigner } from '../kinds/certificates/signers';
import { forbiddenRequest, invalid, plainError } from '../status';
import type { Failure } from '../status';
import type { Admission, AdmissionStep, OwnStep, ReviewStep, Written } from './chain';
import { isReview } from './chain';
import { antiAffinityTopology } from './anti-affinity-topology';
import { adminAccessErrors } from './device-admin-access';
import { isSet } from '../validation/values';
import { evictionReview } from './eviction-review';
import { limitRangerConstraints, limitRangerDefaults } from './limit-ranger';
import { admitToNamespace, requestedName } from './namespace-lifecycle';
import { isRefusal, keepPriority } from './priority';
import type { Refusal } from './priority';
import { podSecurity } from './pod-security';
import { podPriorityReview, priorityClassReview } from './priority-review';
import { quotaReview } from './quota-review';
import type { ReviewPhase } from './review';
import { admitRuntimeClass, ownOverheadOf } from './runtime-class';
import { admitServiceAccount } from './service-account';
import { isProtected, resizeRefusal, withDefaultClass, withProtection } from './storage';
import { withDefaultTolerations, withNotReadyTaint } from './tolerations';

/** Writes of the object itself, not through a subresource. */
const on =
  (resource: GroupResource, ...operations: Admission['operation'][]) =>
  ({ kind, operation, subresource }: Written): boolean =>
    subresource === undefined && kind.groupResource === resource && operations.includes(operation);

const namespaceLifecycle: OwnStep = {
  name: 'NamespaceLifecycle',
  handles: ({ operation, subresource }) => subresource === undefined && operation === 'CREATE',
  admit: (object, { kind, lookup }) => {
    const { namespace } = object.metadata;
    if (!namespace) return object;
    return admitToNamespace('create', kind.groupResource, requestedName(object), namespace, (name) => lookup.namespace(name)) ?? object;
  },
};

const serviceAccount: OwnStep = {
  name: 'ServiceAccount',
  handles: on('pods', 'CREATE'),
  admit: (pod, { lookup }) =>
    refusedAs(
      'pods',
      pod,
      admitServiceAccount(pod, (namespace, name) => lookup.serviceAccount(namespace, name), lookup.suffix()),
    ),
};

const taintNodesByCondition: OwnStep = { name: 'TaintNodesByCondition', handles: on('nodes', 'CREATE'), admit: withNotReadyTaint };

/** An update keeps what was resolved at creation. */
const keptPriority: OwnStep = {
  name: 'Priority',
  handles: on('pods', 'UPDATE'),
  admit: (pod, { old }) => (old ? keepPriority(pod, old) : pod),
};

const defaultTolerationSeconds: OwnStep = {
  name: 'DefaultTolerationSeconds',
  handles: on('pods', 'CREATE', 'UPDATE'),
  admit: withDefaultTolerations,
};

const runtimeClass: OwnStep = {
  name: 'RuntimeClass',
  handles: on('pods', 'CREATE'),
  admit: (pod, { lookup }) => {
    if (pod.spec?.runtimeClassName === '') return plainError('resource name may not be empty');
    return refusedAs(
      'pods',
      pod,
      admitRuntimeClass(pod, (name) => lookup.runtimeClass?.(name)),
    );
  },
};

const runtimeClassOverhead: OwnStep = {
  name: 'RuntimeClass',
  handles: on('pods', 'CREATE'),
  admit: (pod, { lookup }) => {
    const refusal = ownOverheadOf(pod, (name) => lookup.runtimeClass?.(name));
    return refusal ? forbiddenRequest('pods', requestedName(pod), refusal.refusal) : pod;
  },
};

const storageProtection: OwnStep = {
  name: 'StorageObjectInUseProtection',
  handles: ({ kind, operation, subresource }) => operation === 'CREATE' && subresource === undefined && isProtected(kind.groupResource),
  admit: (object, { kind }) => withProtection(object, kind.groupResource),
};

const defaultStorageClass: OwnStep = {
  name: 'DefaultStorageClass',
  handles: on('persistentvolumeclaims', 'CREATE'),
  admit: (claim, { lookup }) => withDefaultClass(claim, () => lookup.defaultStorageClass?.()),
};

/** An Ingress that names no class, in neither way, gets the default one. */
const defaultIngressClass: OwnStep = {
  name: 'DefaultIngressClass',
  handles: on('ingresses.networking.k8s.io', 'CREATE'),
  admit: (ingress, { lookup }) => {
    if (isSet(ingress.spec?.ingressClassName) || ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined)
      return ingress;
    const found = lookup.defaultIngressClass?.();
    return found ? { ...ingress, spec: { ...ingress.spec, ingressClassName: found.metadata.name } } : ingress;
  },
};

const claimResize: OwnStep = {
  name: 'PersistentVolumeClaimResize',
  handles: on('persistentvolumeclaims', 'UPDATE'),
  admit: (claim, { old, lookup }) => {
    const refusal = old && resizeRefusal(claim, old, (name) => lookup.storageClass?.(name));
    return refusal ? forbiddenRequest('persistentvolumeclaims', requestedName(claim), refusal.refusal) : claim;
  },
};

/** Nobody is made an administrator by a certificate of which the API server itself is to think well. */
const certificateSubjectRestriction: OwnStep = {
  name: 'CertificateSubjectRestriction',
  handles: on('certificatesigningrequests.certificates.k8s.io', 'CREATE'),
  admit: (request) => {
    const { signerName, request: encoded } = (request.spec ?? {}) as { signerName?: string; request?: string };
    if (signerName !== clientSigner) return request;
    const read = readCertificateRequest(encoded ?? '');
    if (typeof read === 'string' || !read.organizations.includes('system:masters')) return request;
    const text = `use of ${clientSigner} signer with system:masters group is not allowed`;
    return forbiddenRequest('certificatesigningrequests.certificates.k8s.io', requestedName(request), text);
  },
};

const claims: ReadonlySet<GroupResource> = new Set(['resourceclaims.resource.k8s.io', 'resourceclaimtemplates.resource.k8s.io']);

const deviceAdminAccess: OwnStep = {
  name: 'DeviceAdminAccess',
  handles: ({ kind, operation, subresource }) => claims.has(kind.groupResource) && (operation === 'CREATE' || subresource === 'status'),
  admit: (claim, { kind, old, lookup }) => {
    const { namespace = '', name } = claim.metadata;
    const errors = adminAccessErrors(claim, old, lookup.namespace(namespace));
    return errors.length === 0 ? claim : invalid(`${kind.kind}.${kind.group}`, name, errors);
  },
};

const reviewed = (step: Omit<ReviewStep, 'handles'>, handles: ReviewStep['handles']): ReviewStep => ({ ...step, handles });

/**
 * Who admits a write, phase by phase and in upstream's order. Defaulting comes before the first phase, the kind's strategy and validation
 * between the first and the second.
 */
export const admissionSteps: Readonly<Record<ReviewPhase, readonly AdmissionStep[]>> = {
  mutate: [
    namespaceLifecycle,
    limitRangerDefaults,
    serviceAccount,
    taintNodesByCondition,
    reviewed(podPriorityReview, on('pods', 'CREATE')),
    keptPriority,
    defaultTolerationSeconds,
    defaultStorageClass,
    storageProtection,
    runtimeClass,
    defaultIngressClass,
  ],
  validate: [
    // Upstream's strategy of claims refuses what this does, so before admission judges.
    deviceAdminAccess,
    antiAffinityTopology,
    limitRangerConstraints,
    podSecurity,
    reviewed(priorityClassReview, on('priorityclasses.scheduling.k8s.io', 'CREATE', 'UPDATE')),
    claimResize,
    runtimeClassOverhead,
    certificateSubjectRestriction,
  ],
  charge: [
    quotaReview,
    reviewed(
      evictionReview,
      ({ kind, operation, subresource }) => kind.groupResource === 'pods' && subresource === 'eviction' && operation === 'CREATE',
    ),
  ],
};

/** The steps that have a say in a write of some kind, phase by phase. */
export interface ConcernedSteps extends Readonly<Record<ReviewPhase, readonly AdmissionStep[]>> {
  /** The mutating ones ahead of the first that asks somebody, and the rest. */
  readonly beforeReview: readonly AdmissionStep[];
  readonly fromReview: readonly AdmissionStep[];
}

const concerned = new WeakMap<ResourceKind, Map<string, ConcernedSteps>>();

/** Found out once for each kind, operation and subresource: no write goes through the steps that are about other kinds. */
export function concernedSteps({ kind, operation, subresource = '' }: Written): ConcernedSteps {
  let ofKind = concerned.get(kind);
  if (!ofKind) concerned.set(kind, (ofKind = new Map()));
  const key = subresource === '' ? operation : `${operation}/${subresource}`;
  let steps = ofKind.get(key);
  if (!steps) ofKind.set(key, (steps = findSteps({ kind, operation, subresource: subresource || undefined })));
  return steps;
}

function findSteps(written: Written): ConcernedSteps {
  const of = (phase: ReviewPhase): readonly AdmissionStep[] => admissionSteps[phase].filter((step) => step.handles(written));
  const mutate = of('mutate');
  const first = mutate.findIndex(isReview);
  const asking = first < 0 ? mutate.length : first;
  return {
    mutate,
    validate: of('validate'),
    charge: of('charge'),
    beforeReview: mutate.slice(0, asking),
    fromReview: mutate.slice(asking),
  };
}

/** A refusal as the 403 that the client gets. */
export function refusedAs(resource: GroupResource, object: KubeObject, verdict: KubeObject | Refusal): KubeObject | Failure {
  return isRefusal(verdict) ? forbiddenRequest(resource, requestedName(object), verdict.refusal) : verdict;
}
