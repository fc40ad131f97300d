import type { KubeObject } from '#libs/kernel';
import { parseRequestUri } from '#libs/cel';
import { invalidValue, required } from '../../status/field-error';
import { goQuote } from '../../status/go-value';
import type { Errors } from '../../validation/values';

/** Whether a group of the Kubernetes community says that its API has been approved. */
export type ApprovalState = 'Invalid' | 'Approved' | 'Bypassed' | 'Missing';

export interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

const annotation = 'api-approved.kubernetes.io';
const advice = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** `k8s.io`, `kubernetes.io` and all below them. */
export function isProtectedGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((owner) => group === owner || group.endsWith(`.${owner}`));
}

export function approvalOf({ metadata: { annotations } }: KubeObject): Approval {
  const value = annotations?.[annotation] ?? '';
  const start = `protected groups must have approval annotation ${goQuote(annotation)}`;
  if (value === '') return { state: 'Missing', reason: `${start}, ${advice}` };
  if (value.startsWith('unapproved')) return { state: 'Bypassed', reason: `not approved: ${goQuote(value)}` };
  if (isAddress(value)) return { state: 'Approved', reason: `approved in ${value}` };
  return { state: 'Invalid', reason: `${start} with either a URL or a reason starting with "unapproved", ${advice}` };
}

function isAddress(text: string): boolean {
  const { problem } = parseRequestUri(text);
  return problem === undefined && /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?[^/?#]+/i.test(text);
}

/** Of an update only what has become of the approval is looked at. */
export function validateApproval(definition: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  if (!isProtectedGroup((definition.spec?.group as string | undefined) ?? '')) return;
  const { state, reason } = approvalOf(definition);
  if (old && approvalOf(old).state === state) return;
  const field = `metadata.annotations[${annotation}]`;
  if (state === 'Missing') errors.push(required(field, reason));
  else if (state === 'Invalid') errors.push(invalidValue(field, definition.metadata.annotations?.[annotation], reason));
}
