import type { RecordedEvent } from '#libs/event-log';
import { jsonDigest, type EventData } from '#libs/events';
import { wasReleased } from '../versions';
import { appendOf } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';

/** Every controller decides by a behaviour that some release had, and by the one that its start names. */
export class Behaviours implements AppendCheck {
  readonly letter = 'Y';
  /** By `controller/incarnation`. */
  private readonly started = new Map<string, string>();

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const { first, notes } = appendOf(events, this.cluster);
    if (first.type === 'ControllerStarted') this.start(first);
    const { basis } = notes;
    // Up to version 0.1.0 each decision said it.
    const decidedBy = (basis as { behaviour?: string } | undefined)?.behaviour;
    if (!basis || decidedBy === undefined) return;
    const incarnation = basis.decision.slice(0, basis.decision.lastIndexOf('/'));
    const behaviour = this.started.get(incarnation);
    if (behaviour !== undefined && behaviour !== decidedBy)
      this.findings.foundAt('Y', first, `decided by behaviour ${decidedBy}, where ${incarnation} started with ${behaviour}`);
  }

  private start(event: RecordedEvent): void {
    const { controller, behaviour, config, configDigest } = event.data as unknown as EventData<'ControllerStarted'>;
    if (config !== undefined && configDigest !== jsonDigest(config))
      this.findings.foundAt('Y', event, `its configuration is not the one that ${configDigest} is the digest of`);
    this.started.set(`${controller}/${event.position}`, behaviour);
    if (wasReleased(controller, behaviour)) return;
    const accept = `unknown-version=${controller}@${behaviour}`;
    this.findings.foundAt('Y', event, `no kubereel had behaviour ${behaviour} of ${controller}`, { accept });
  }
}
