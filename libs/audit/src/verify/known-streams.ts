import type { RecordedEvent } from '#libs/event-log';
import { eventClasses, parseStream } from '#libs/events';
import { releaseKinds } from '#libs/kube-api';
import type { EventCheck } from './check';
import type { Findings } from './finding';

/** Finds streams and event types that no version of kubereel writes: nothing about them can be proven. */
export class KnownStreams implements EventCheck {
  readonly letter = 'Y';

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  event(event: RecordedEvent): void {
    const { stream, type } = event;
    const subject = parseStream(this.cluster, stream);
    const isKnown =
      subject !== undefined && (subject.kind === 'decision' || releaseKinds.findGroupResource(subject.resource) !== undefined);
    if (!isKnown) this.findings.foundAt('Y', event, 'there is no such stream in a cluster', { accept: `unknown-stream=${stream}` });
    else if (!eventClasses.has(type)) this.findings.foundAt('Y', event, 'there is no such event', { accept: `unknown-event=${type}` });
    else if (isLead(type) !== (subject.kind === 'decision' && subject.stream === 'leadership'))
      this.findings.foundAt('Y', event, 'it does not belong in such a stream');
  }
}

/** Leads carry no number and follow from nothing: nothing else may stand beside them. */
function isLead(type: string): boolean {
  return type.startsWith('Leadership');
}
