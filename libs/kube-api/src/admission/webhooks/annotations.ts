import type { Json } from '#libs/kernel';
import { goJson, sortedMap } from '../../status';
import { isAnnotationKey } from '../annotation-key';
import type { Annotate } from '../attributes';
import type { Invocation } from './invocation';
import type { WebhookOutcome } from './review';

/** What a webhook itself wants to be recorded, under its name. */
export function ownAnnotations(webhook: string, outcome: Exclude<WebhookOutcome, { error: string }>, annotate: Annotate | undefined): void {
  if (!annotate) return;
  for (const [name, value] of Object.entries(outcome.auditAnnotations ?? {})) {
    const key = `${webhook}/${name}`;
    if (isAnnotationKey(key)) annotate(key, value);
  }
}

/** What is recorded of the call of a mutating webhook, by the round and by its place among all of them (upstream: `webhookAnnotator`). */
export class MutationNotes {
  constructor(
    private readonly annotate: Annotate | undefined,
    private readonly invocation: Invocation,
    private readonly round: number,
    private readonly index: number,
  ) {}

  called(mutated: boolean): void {
    this.annotate?.(this.key('mutation'), goJson({ ...this.named, mutated }));
  }

  /** It has not answered, and the request goes on without it. */
  failedOpen(): void {
    this.annotate?.(this.key('failed-open.mutation'), this.invocation.hook.name);
  }

  /** What it has made of the object: a body, in its way. */
  patched(operations: readonly Json[]): void {
    if (!this.annotate) return;
    const patch = operations.map((operation) => sortedMap(operation as Record<string, Json>));
    this.annotate(this.key('patch'), goJson({ ...this.named, patch, patchType: 'JSONPatch' }), 'Request');
  }

  private get named(): { configuration: string; webhook: string } {
    return { configuration: this.invocation.configuration, webhook: this.invocation.hook.name };
  }

  private key(kind: string): string {
    return `${kind}.webhook.admission.k8s.io/round_${this.round}_index_${this.index}`;
  }
}
