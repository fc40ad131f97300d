import type { GroupResource, KubeObject } from '#libs/kernel';
import { isOfResource, type ResourceAttributes } from '../attributes';
import type { Authorization, Authorizer } from '../authorizer';
import { ruleAllows } from '../rbac/policy-rule';
import { nodeOf } from './node-identity';
import { nodeRules } from './node-rules';
import { claimsOf, refersTo, volumeNeedsSecret, type ReferredKind } from './pod-references';

/** What of a cluster the rights of nodes follow from. */
export interface NodeObjects {
  get(resource: GroupResource, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: GroupResource): Iterable<KubeObject>;
  /** The pods that are on a node. */
  podsOn(node: string): Iterable<KubeObject>;
}

const allow: Authorization = { decision: 'allow', reason: '' };
const none = (reason = ''): Authorization => ({ decision: 'none', reason });

const leasesOfNodes = 'kube-node-lease';
const withNode: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

/**
 * Lets a node do what its kubelet has to: read what its pods refer to, and write about itself and them (upstream's node authoriser). What
 * a pod refers to is looked up when it is asked for, among the pods of that node.
 */
export class NodeAuthorizer implements Authorizer {
  constructor(private readonly objects: NodeObjects) {}

  authorize = (attributes: Parameters<Authorizer['authorize']>[0]): Authorization => {
    const node = nodeOf(attributes.user);
    if (node === undefined) return none();
    if (node === '') return none(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
    if (!isOfResource(attributes)) return none();
    const { group, resource } = attributes;
    return (
      this.ofResource(group === '' ? resource : `${resource}.${group}`, node, attributes) ??
      (nodeRules.some((rule) => ruleAllows(rule, attributes)) ? allow : none())
    );
  };

  /** Undefined: a resource that is the same for all nodes. */
  private ofResource(resource: GroupResource, node: string, asked: ResourceAttributes): Authorization | undefined {
    switch (resource) {
      case 'secrets':
      case 'configmaps':
        return this.reading(resource, node, asked);
      case 'persistentvolumeclaims':
        return asked.subresource === 'status' ? this.statusOf(resource, node, asked) : this.getting(resource, node, asked);
      case 'persistentvolumes':
      case 'resourceclaims.resource.k8s.io':
      case 'volumeattachments.storage.k8s.io':
        return this.getting(resource, node, asked);
      case 'serviceaccounts':
        return asked.verb === 'get' && asked.subresource === '' ? this.reading(resource, node, asked) : this.token(node, asked);
      case 'leases.coordination.k8s.io':
        return leaseAuthorization(node, asked);
      case 'csinodes.storage.k8s.io':
        return csiNodeAuthorization(node, asked);
      case 'resourceslices.resource.k8s.io':
        return this.slice(node, asked);
      case 'nodes':
        return nodeAuthorization(node, asked);
      case 'pods':
        return this.pod(node, asked);
      default:
        return undefined;
    }
  }

  private reading(resource: GroupResource, node: string, asked: ResourceAttributes): Authorization {
    if (!['get', 'list', 'watch'].includes(asked.verb)) return none('can only read resources of this type');
    if (asked.subresource !== '') return none('cannot read subresource');
    if (asked.namespace === '') return none('can only read namespaced object of this type');
    return this.related(resource, node, asked);
  }

  private getting(resource: GroupResource, node: string, asked: ResourceAttributes): Authorization {
    if (asked.verb !== 'get') return none('can only get individual resources of this type');
    if (asked.subresource !== '') return none('cannot get subresource');
    return this.related(resource, node, asked);
  }

  private statusOf(resource: GroupResource, node: string, asked: ResourceAttributes): Authorization {
    if (asked.verb !== 'update' && asked.verb !== 'patch') return none('can only get/update/patch this type');
    return this.related(resource, node, asked);
  }

  /** Of the accounts of its pods. */
  private token(node: string, { verb, subresource, namespace, name }: ResourceAttributes): Authorization {
    if (verb !== 'create' || name === '') return none('can only create tokens for individual service accounts');
    if (subresource !== 'token') return none('can only create token subresource of serviceaccount');
    return this.isRelated('serviceaccounts', node, namespace, name) ? allow : unrelated(node);
  }

  private slice(node: string, asked: ResourceAttributes): Authorization {
    if (asked.subresource !== '') return none('cannot authorize ResourceSlice subresources');
    switch (asked.verb) {
      case 'create':
        return allow;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.related('resourceslices.resource.k8s.io', node, asked);
      case 'watch':
      case 'list':
      case 'deletecollection':
        return selects(asked, 'spec.nodeName', node)
          ? allow
          : none('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default: {
        const verbs = 'get, watch, list, create, update, patch, delete, deletecollection';
        return none(`only the following verbs are allowed for a ResourceSlice: ${verbs}`);
      }
    }
  }

  private pod(node: string, asked: ResourceAttributes): Authorization {
    const { verb, subresource, name } = asked;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : none();
    if (subresource === 'eviction') return verb === 'create' ? allow : none();
    if (subresource !== '') return none();
    if (verb === 'create' || verb === 'delete') return allow;
    if (verb === 'get') return this.related('pods', node, asked);
    if (verb !== 'list' && verb !== 'watch') return none();
    if (selects(asked, 'spec.nodeName', node)) return allow;
    return name === '' ? none('can only list/watch pods with spec.nodeName field selector') : this.related('pods', node, asked);
  }

  private related(resource: GroupResource, node: string, { namespace, name }: ResourceAttributes): Authorization {
    if (name === '') return none('No Object name found');
    return this.isRelated(resource, node, namespace, name) ? allow : unrelated(node);
  }

  private isRelated(resource: GroupResource, node: string, namespace: string, name: string): boolean {
    const { objects } = this;
    switch (resource) {
      case 'pods':
        return objects.get('pods', namespace, name)?.spec?.nodeName === node;
      case 'resourceslices.resource.k8s.io':
      case 'volumeattachments.storage.k8s.io':
        return objects.get(resource, undefined, name)?.spec?.nodeName === node;
      case 'persistentvolumes': {
        const volume = objects.get(resource, undefined, name);
        return volume !== undefined && this.isOfClaim(volume, node);
      }
      case 'secrets':
        return this.isReferredTo('secrets', node, namespace, name) || this.isOfVolume(node, namespace, name);
      default:
        return this.isReferredTo(resource as ReferredKind, node, namespace, name);
    }
  }

  private isReferredTo(kind: ReferredKind, node: string, namespace: string, name: string): boolean {
    for (const pod of this.objects.podsOn(node)) if (pod.metadata.namespace === namespace && refersTo(pod, kind, name)) return true;
    return false;
  }

  /** A volume is bound to a claim of a pod of the node. */
  private isOfClaim({ spec }: KubeObject, node: string): boolean {
    const claim = spec?.claimRef as { namespace?: string; name?: string } | undefined;
    return claim !== undefined && this.isReferredTo('persistentvolumeclaims', node, claim.namespace ?? '', claim.name ?? '');
  }

  /** Volumes are looked through only where the node has a pod with a claim at all. */
  private isOfVolume(node: string, namespace: string, name: string): boolean {
    let hasClaims = false;
    for (const pod of this.objects.podsOn(node)) hasClaims ||= claimsOf(pod).length > 0;
    if (!hasClaims) return false;
    for (const volume of this.objects.list('persistentvolumes'))
      if (volumeNeedsSecret(volume, namespace, name) && this.isOfClaim(volume, node)) return true;
    return false;
  }
}

function unrelated(node: string): Authorization {
  return none(`no relationship found between node '${node}' and this object`);
}

function selects({ fieldSelector = [] }: ResourceAttributes, wanted: string, node: string): boolean {
  return fieldSelector.some(({ field, equal, value }) => equal && field === wanted && value === node);
}

function leaseAuthorization(node: string, { verb, namespace, name }: ResourceAttributes): Authorization {
  if (!withNode.has(verb)) return none('can only get, create, update, patch, or delete a node lease');
  if (namespace !== leasesOfNodes) return none(`can only access leases in the "${leasesOfNodes}" system namespace`);
  // The name of what is created is not known yet; NodeRestriction looks at it.
  return verb === 'create' || name === node ? allow : none('can only access node lease with the same name as the requesting node');
}

function csiNodeAuthorization(node: string, { verb, subresource, name }: ResourceAttributes): Authorization {
  if (!withNode.has(verb)) return none('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return none('cannot authorize CSINode subresources');
  return verb === 'create' || name === node ? allow : none('can only access CSINode with the same name as the requesting node');
}

function nodeAuthorization(node: string, { verb, subresource, name }: ResourceAttributes): Authorization {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : none();
  if (subresource !== '') return none();
  switch (verb) {
    case 'create':
    case 'update':
    case 'patch':
      return allow;
    case 'get':
    case 'list':
    case 'watch':
      if (name === node) return allow;
      if (name === '') return none(`node '${node}' cannot read all nodes, only its own Node object`);
      return none(`node '${node}' cannot read '${name}', only its own Node object`);
    default:
      return none();
  }
}
