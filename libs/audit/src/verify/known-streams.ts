import type { RecordedEvent } from '#libs/event-log';
import { eventClasses, parseStream } from '#libs/events';
import { definitionResource, releaseKinds } from '#libs/kube-api';
import type { EventCheck } from './check';
import type { Findings } from './finding';

/** Finds streams and event types that no version of kubereel writes: nothing about them can be proven. */
export class KnownStreams implements EventCheck {
  readonly letter = 'Y';
  /** Resources that a definition has brought: definitions are called by them. */
  private readonly defined = new Set<string>();

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  event(event: RecordedEvent): void {
    const { stream, type } = event;
    const subject = parseStream(this.cluster, stream);
    if (subject?.kind === 'object' && subject.resource === definitionResource) this.defined.add(subject.name);
    const isKnown = subject !== undefined && (subject.kind === 'decision' || this.isResource(subject.resource));
    if (!isKnown) this.findings.foundAt('Y', event, 'there is no such stream in a cluster', { accept: `unknown-stream=${stream}` });
    else if (!eventClasses.has(type)) this.findings.foundAt('Y', event, 'there is no such event', { accept: `unknown-event=${type}` });
    else if (isLead(type) !== (subject.kind === 'decision' && subject.stream === 'leadership'))
      this.findings.foundAt('Y', event, 'it does not belong in such a stream');
  }

  private isResource(resource: string): boolean {
    return releaseKinds.findGroupResource(resource) !== undefined || this.defined.has(resource);
  }
}

/** Leads carry no number and follow from nothing: nothing else may stand beside them. */
function isLead(type: string): boolean {
  return type.startsWith('Leadership');
}
