import type { KubeObject } from '#libs/kernel';
import { isFailure, type Failure } from '../../status';
import { Attributes } from '../attributes';
import type { Admission, Admitted } from '../chain';
import { isDisabled, isExempt } from '../matching/match';
import { answerTo, type NeededReview } from '../review';
import { ownAnnotations } from './annotations';
import { webhooksOf } from './configured';
import { invocationOf } from './invocation';
import { callFailed, deniedBy } from './refusal';
import { outcomeIn, webhookReview } from './review';

/** The validating webhooks: all are called at once, and of several refusals the first one in their order is told. */
export function validateByWebhooks(object: KubeObject | undefined, admission: Admission): Admitted {
  const { called } = admission;
  const admitted: Admitted = { kind: 'admitted', object: object as KubeObject };
  if (!called || isExempt(called) || isDisabled('ValidatingAdmissionWebhook', admission.lookup)) return admitted;
  const hooks = webhooksOf(admission.lookup, 'validating');
  if (hooks.length === 0) return admitted;
  const request = new Attributes(admission, called, object);
  const invocations = [];
  for (const configured of hooks) {
    const invocation = invocationOf(configured, request);
    if (invocation && isFailure(invocation)) return { kind: 'refused', status: invocation };
    if (invocation) invocations.push(invocation);
  }
  const open: NeededReview[] = [];
  const refusals: Failure[] = [];
  const warnings: string[] = [];
  for (const [index, invocation] of invocations.entries()) {
    const { name, failurePolicy } = invocation.hook;
    const failed = (reason: string): void => {
      if (failurePolicy !== 'Ignore') refusals.push(callFailed(name, reason));
      else called.annotate?.(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, name);
    };
    const review = webhookReview('validate', invocation, request, 0);
    if ('unaskable' in review) {
      failed(review.unaskable);
      continue;
    }
    if (isFailure(review)) {
      refusals.push(review);
      continue;
    }
    const answer = answerTo(review, admission.answers);
    if (!answer) {
      open.push(review);
      continue;
    }
    const outcome = outcomeIn(answer);
    if ('error' in outcome) {
      failed(outcome.error);
      continue;
    }
    warnings.push(...(outcome.warnings ?? []));
    ownAnnotations(name, outcome, called.annotate);
    if (!outcome.allowed) refusals.push(deniedBy(name, outcome.status));
  }
  if (open.length > 0) return { kind: 'review', reviews: open };
  called.warnings.push(...warnings);
  const [first] = refusals;
  return first ? { kind: 'refused', status: first } : admitted;
}
