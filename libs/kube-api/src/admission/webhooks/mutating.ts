import type { Json, KubeObject } from '#libs/kernel';
import { jsonEqual } from '#libs/kernel';
import { readPatch } from '../../patch/read-patch';
import { isFailure, internalError, type Failure } from '../../status';
import { Attributes, type CalledFor } from '../attributes';
import type { Admission, Admitted } from '../chain';
import { isDisabled, isExempt } from '../matching/match';
import { answerTo } from '../review';
import { MutationNotes, ownAnnotations } from './annotations';
import { webhooksOf, type ConfiguredWebhook } from './configured';
import { invocationOf, type Invocation } from './invocation';
import { callFailed, deniedBy } from './refusal';
import { outcomeIn, webhookReview, type WebhookOutcome } from './review';

/** How the object of a request is patched: read back as its kind is, and given defaults. */
export interface Patching {
  /** What the operations make of the object in the version that the webhook knows it in. */
  apply(object: KubeObject, operations: readonly Json[], invocation: Invocation): { object: KubeObject; changed: boolean } | Failure;
  /** What the own steps of the mutating phase make of an object that webhooks have changed. */
  again(object: KubeObject): Admitted;
}

/**
 * The mutating webhooks: one after the other, each on what the one before has made of the object. Where one has changed it, the own steps look
 * at it once more, and then those webhooks that ask for it. What has been answered is taken from the log; the first question that has no answer
 * yet ends it.
 */
export function mutateByWebhooks(given: KubeObject | undefined, admission: Admission, patching: Patching): Admitted {
  const { called } = admission;
  const object = given as KubeObject;
  if (!called || isExempt(called) || isDisabled('MutatingAdmissionWebhook', admission.lookup)) return { kind: 'admitted', object };
  const hooks = webhooksOf(admission.lookup, 'mutating');
  if (hooks.length === 0) return { kind: 'admitted', object };
  return new MutatingRounds(hooks, admission, called, patching).run(given);
}

class MutatingRounds {
  private round = 0;
  /** Those that are to be called again, and those that would be if something changed. */
  private toReinvoke = new Set<string>();
  private invoked = new Set<string>();
  private hasChanged = false;

  constructor(
    private readonly hooks: readonly ConfiguredWebhook[],
    private readonly admission: Admission,
    private readonly called: CalledFor,
    private readonly patching: Patching,
  ) {}

  run(given: KubeObject | undefined): Admitted {
    const first = this.once(given);
    if (first.kind !== 'admitted' || !this.hasChanged) return first;
    const again = this.patching.again(first.object);
    if (again.kind !== 'admitted') return again;
    if (!jsonEqual(again.object, first.object)) this.requireReinvocation();
    this.round = 1;
    return this.once(again.object);
  }

  private once(given: KubeObject | undefined): Admitted {
    let object = given;
    for (const [index, configured] of this.hooks.entries()) {
      const request = new Attributes(this.admission, this.called, object);
      const invocation = invocationOf(configured, request);
      if (!invocation) continue;
      if (isFailure(invocation)) return { kind: 'refused', status: invocation };
      if (this.round > 0 && !this.toReinvoke.has(invocation.id)) continue;
      const notes = new MutationNotes(this.called.annotate, invocation, this.round, index);
      const outcome = this.ask(invocation, request, notes);
      notes.called('changed' in outcome && outcome.changed);
      if ('kind' in outcome) return outcome;
      if ('object' in outcome) object = outcome.object;
      if (outcome.changed) {
        this.requireReinvocation();
        this.hasChanged = true;
      }
      if (invocation.hook.reinvocationPolicy === 'IfNeeded') this.invoked.add(invocation.id);
    }
    return { kind: 'admitted', object: object as KubeObject };
  }

  private requireReinvocation(): void {
    for (const id of this.invoked) this.toReinvoke.add(id);
    this.invoked = new Set();
  }

  /** What one webhook makes of the object. */
  private ask(invocation: Invocation, request: Attributes, notes: MutationNotes): Admitted | { changed: boolean; object?: KubeObject } {
    const { name, failurePolicy } = invocation.hook;
    const failed = (reason: string): Admitted | { changed: boolean } => {
      if (failurePolicy !== 'Ignore') return { kind: 'refused', status: callFailed(name, reason) };
      notes.failedOpen();
      return { changed: false };
    };
    const review = webhookReview('mutate', invocation, request, this.round);
    if ('unaskable' in review) return failed(review.unaskable);
    if (isFailure(review)) return { kind: 'refused', status: review };
    const answer = answerTo(review, this.admission.answers);
    if (!answer) return { kind: 'review', reviews: [review] };
    const outcome = outcomeIn(answer);
    if ('error' in outcome) return failed(outcome.error);
    this.called.warnings.push(...(outcome.warnings ?? []));
    ownAnnotations(name, outcome, this.called.annotate);
    if (!outcome.allowed) return { kind: 'refused', status: deniedBy(name, outcome.status) };
    return this.patched(invocation, request, outcome, failed, notes);
  }

  private patched(
    invocation: Invocation,
    { object }: Attributes,
    { patch, patchType }: Extract<WebhookOutcome, { allowed: boolean }>,
    failed: (reason: string) => Admitted | { changed: boolean },
    notes: MutationNotes,
  ): Admitted | { changed: boolean; object?: KubeObject } {
    if (!patch) return { changed: false };
    const operations = operationsIn(patch);
    if (typeof operations === 'string') return failed(`received undecodable patch in webhook response: ${operations}`);
    if (operations.length === 0) return { changed: false };
    if (!object) {
      const text = `admission webhook ${JSON.stringify(invocation.hook.name)} attempted to modify the object, which is not supported for this operation`;
      return { kind: 'refused', status: internalError(text) };
    }
    if (patchType !== 'JSONPatch') return failed(`unsupported patch type ${JSON.stringify(patchType ?? '')}`);
    const after = this.patching.apply(object, operations, invocation);
    if (isFailure(after)) return { kind: 'refused', status: after };
    notes.patched(operations);
    return after;
  }
}

/** The operations of a patch, or why it cannot be read. */
function operationsIn(patch: string): readonly Json[] | string {
  const read = readPatch('json', patch, 'Ignore');
  return read.ok ? (read.patch as Json[]) : read.status.message;
}
