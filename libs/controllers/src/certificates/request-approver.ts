import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { clusterAccess, kubeletClientProblem, kubeletClientSigner, RbacObjects, readCertificateRequest, type User } from '#libs/kube-api';
import { certificateOf, changedRequest, conditionsOf, has, requests } from './requests';

const rbac = 'rbac.authorization.k8s.io';
const rbacResources = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map((resource) => `${resource}.${rbac}`);

/** Approves what kubelets ask for to be clients, where whoever asks is let to by a role (upstream `csrapproving`). */
export const requestApprover: Reconciler = {
  name: 'certificatesigningrequest-approving-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [requests, ...rbacResources],

  *allSubjects(_index, cluster) {
    for (const { metadata } of cluster.table(requests).objects.values()) yield metadata.name;
  },

  *follow(_index, append, cluster) {
    yield* changedRequest(append);
    // What was not allowed before may be now.
    if (!append.change || !rbacResources.includes(append.change.resource)) return;
    for (const request of cluster.table(requests).objects.values()) if (isPending(request)) yield request.metadata.name;
  },

  reconcile(cluster, _index, name) {
    const request = cluster.get(requests, undefined, name);
    if (!request || !isPending(request)) return undefined;
    const message = approvalOf(cluster, request);
    if (message === undefined) return undefined;
    const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
    const object = { ...request, status: { ...request.status, conditions: [...conditionsOf(request), approved] } } as unknown as KubeObject;
    const target = { resource: requests, name };
    return { steps: [{ step: 'approve', request: { verb: 'update', target, subresource: 'approval', object } }] };
  },
};

function isPending(request: KubeObject): boolean {
  return certificateOf(request) === '' && !has(request, 'Approved') && !has(request, 'Denied');
}

/** Why it is approved; undefined: by nobody here. */
function approvalOf(cluster: ClusterState, { spec }: KubeObject): string | undefined {
  const { signerName, request = '', usages = [], username = '', uid, groups = [] } = (spec ?? {}) as Record<string, never> & Spec;
  if (signerName !== kubeletClientSigner) return undefined;
  const read = readCertificateRequest(request);
  if (typeof read === 'string' || kubeletClientProblem(read, usages) !== undefined) return undefined;
  const access = clusterAccess(new RbacObjects((resource) => cluster.table(resource)));
  const user: User = { name: username, ...(uid === undefined ? {} : { uid }), groups };
  const may = (subresource: string): boolean =>
    access.authorize({
      user,
      verb: 'create',
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'certificatesigningrequests',
      subresource,
      namespace: '',
      name: '',
    }).decision === 'allow';
  if (username === read.commonName && may('selfnodeclient'))
    return 'Auto approving self kubelet client certificate after SubjectAccessReview.';
  return may('nodeclient') ? 'Auto approving kubelet client certificate after SubjectAccessReview.' : undefined;
}

interface Spec {
  signerName?: string;
  request?: string;
  usages?: string[];
  username?: string;
  uid?: string;
  groups?: string[];
}
