import { ofNoObject, type Reconciler } from '#libs/control-loop';
import { formatTime, type KubeObject } from '#libs/kernel';
import { ownSigners, readCertificateRequest } from '#libs/kube-api';
import { AskedSignatures, certificateOf, changedRequest, conditionsOf, has, requests, signatureAsked } from './requests';

/** What is asked of whoever holds the CA's key. */
export interface SignatureCall {
  resource: typeof requests | 'secrets';
  namespace?: string;
  name: string;
  uid: string;
}

/**
 * Has what was approved signed by the cluster's own signers, or says why it is not (upstream `csrsigning`). A signature is made once, by
 * whoever holds the key, and is in the log as the status that it was written to: it is never made again from what led to it.
 * @param certificate of the CA, PEM
 */
export function requestSigner(certificate: string): Reconciler<AskedSignatures> {
  return {
    name: 'certificatesigningrequest-signing-controller',
    behaviour: '1',
    stream: 'controller-decisions',
    config: { certificate },
    follows: [requests, ofNoObject],
    index: () => new AskedSignatures(),

    *allSubjects(_asked, cluster) {
      for (const { metadata } of cluster.table(requests).objects.values()) yield metadata.name;
    },

    *follow(asked, append) {
      asked.follow(append);
      yield* changedRequest(append);
    },

    reconcile(cluster, asked, name, { decision, now }) {
      const request = cluster.get(requests, undefined, name);
      if (!request || certificateOf(request) !== '' || !has(request, 'Approved') || has(request, 'Denied') || has(request, 'Failed'))
        return undefined;
      const { signerName = '', request: encoded = '', usages = [] } = (request.spec ?? {}) as Record<string, never> & Spec;
      const rule = ownSigners[signerName];
      const read = rule && readCertificateRequest(encoded);
      if (!rule || !read || typeof read === 'string' || asked.has(request)) return undefined;
      const problem = rule(read, usages);
      if (problem !== undefined) return { steps: [{ step: 'fail', request: failure(request, problem, now) }] };
      const call: SignatureCall = { resource: requests, name, uid: request.metadata.uid };
      return { records: [signatureAsked(decision, requests, request)], steps: [], calls: [{ ask: decision, request: call }] };
    },
  };
}

function failure(request: KubeObject, message: string, now: number) {
  const failed = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message, lastUpdateTime: formatTime(now) };
  const object = { ...request, status: { ...request.status, conditions: [...conditionsOf(request), failed] } } as unknown as KubeObject;
  return { verb: 'update' as const, target: { resource: requests, name: request.metadata.name }, subresource: 'status' as const, object };
}

interface Spec {
  signerName?: string;
  request?: string;
  usages?: string[];
}
