import { formatTime, type KubeObject } from '#libs/kernel';
import { humanDuration } from '../../printing/age';
import { age, nameOf, none, rowOf } from '../../printing/cell';
import { fieldsOf, nameField, simpleField } from '../../selectors/kind-fields';
import { withStatus } from '../../strategy/status-update';
import { isSet, listOf, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateSigningRequest, validateSigningRequestUpdate } from './validation';

/** A condition that does not say since when it holds, does so since now; one that was there before, since then. */
function withTimes(conditions: readonly Loose[], old: readonly Loose[], now: string): Loose[] {
  return conditions.map((condition) => {
    const { type, status, lastUpdateTime, lastTransitionTime } = condition;
    const before = old.find((known) => known.type === type && known.status === status && isSet(known.lastTransitionTime));
    return {
      ...condition,
      lastUpdateTime: lastUpdateTime ?? now,
      lastTransitionTime: lastTransitionTime ?? before?.lastTransitionTime ?? now,
    };
  });
}

/** Verdicts stay as they were where there are as many as before; validation refuses any other number. */
function keepVerdicts(conditions: readonly Loose[], old: readonly Loose[]): Loose[] {
  let kept = [...conditions];
  for (const verdict of ['Approved', 'Denied']) {
    const before = old.filter(({ type }) => type === verdict);
    if (kept.filter(({ type }) => type === verdict).length !== before.length) continue;
    kept = kept.map((condition) => (condition.type === verdict ? before.shift() : condition));
  }
  return kept;
}

const conditionsOf = (request: KubeObject): Loose[] => listOf(request.status?.conditions);

function prepareStatus(updated: KubeObject, old: KubeObject, now: number): KubeObject {
  const kept = keepVerdicts(conditionsOf(updated), conditionsOf(old));
  return withConditions({ ...updated, spec: old.spec }, updated.status, withTimes(kept, conditionsOf(old), formatTime(now)));
}

function prepareApproval(updated: KubeObject, old: KubeObject, now: number): KubeObject {
  const conditions = withTimes(conditionsOf(updated), conditionsOf(old), formatTime(now));
  return withConditions({ ...updated, spec: old.spec }, old.status, conditions);
}

function withConditions(request: KubeObject, status: Loose, conditions: Loose[]): KubeObject {
  const { conditions: _, ...rest } = status ?? {};
  return withStatus(request, conditions.length > 0 ? { ...rest, conditions } : rest);
}

/** `Pending`, `Approved,Issued`, `Denied` */
function stateOf({ status }: KubeObject): string {
  const types = new Set(listOf(status?.conditions).map(({ type }) => type));
  const verdict = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  return [verdict, ...(types.has('Failed') ? ['Failed'] : []), ...(status?.certificate ? ['Issued'] : [])].join(',');
}

const certificatesigningrequests: KindDescription = {
  name: 'certificatesigningrequests.certificates.k8s.io',
  served: true,
  formerVersions: ['certificates.k8s.io/v1beta1'],
  fields: fieldsOf(nameField, simpleField('spec.signerName')),
  strategy: {
    // A request says what it says; only its metadata may change.
    update: (updated, old) => withStatus({ ...updated, spec: old.spec }, old.status),
    subresources: { status: prepareStatus, approval: prepareApproval },
    owns: {
      object: { except: ['spec', 'status'] },
      status: { except: ['spec', 'status.conditions'] },
      approval: { except: ['spec', 'status.certificate'] },
    },
  },
  validation: {
    create: validateSigningRequest,
    update: (updated, old, errors) => validateSigningRequestUpdate(updated, old, {}, errors),
    subresources: {
      status: (updated, old, errors) => validateSigningRequestUpdate(updated, old, { certificate: true }, errors),
      approval: (updated, old, errors) => validateSigningRequestUpdate(updated, old, { approval: true }, errors),
    },
  },
  row: rowOf((request, now) => {
    const { signerName = '', username = '', expirationSeconds } = request.spec ?? {};
    const duration = isSet(expirationSeconds) ? humanDuration(expirationSeconds * 1_000) : none;
    return [nameOf(request), age(request, now), signerName || none, username, duration, stateOf(request)];
  }),
};

export const certificatesKinds: readonly KindDescription[] = [certificatesigningrequests];
