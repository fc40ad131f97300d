import type { RecordedEvent } from '#libs/event-log';
import { appendOf, isLeadership, type Append } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';
import { isQuestion } from './identity';

/** What a process says of itself, and of the log. */
const lifecycleTypes = new Set(['ProcessStarted', 'ControllersStopped', 'ProcessStopped', 'RoundsTaken', 'Sealed']);
/** What the API server writes without a decision: the cluster's own life. */
const ofTheServer = new Set(['ClusterCreated', 'ClusterResumed', 'LogForked', 'LogImported']);

/** A controller writes what it has decided, and nothing else; a user decides nothing. */
export class DecidedWrites implements AppendCheck {
  readonly letter = 'B';

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const append = appendOf(events, this.cluster);
    const { first, notes } = append;
    const { actor, basis } = notes;
    const isUser = actor.startsWith('user:');
    if (basis) {
      const controller = basis.decision.slice(0, basis.decision.indexOf('/'));
      if (actor !== controller) this.findings.foundAt('B', first, `${actor} writes what ${controller} has decided`);
      else if (notes.step === undefined) this.findings.foundAt('B', first, `it is no step of ${basis.decision}`);
    } else if (!isUser && !isFreeOfDecision(append)) {
      this.findings.foundAt('B', first, `${actor} writes without a decision`);
    }
  }
}

/** Writes that follow from no decision, though no user asked for them. */
function isFreeOfDecision(append: Append): boolean {
  const { first, notes } = append;
  const { actor, op = '' } = notes;
  if (first.type === 'ControllerStarted') return actor === first.data.controller;
  // An answer of an extender is recorded by its scheduler.
  if (isQuestion(first) || isLeadership(append) || first.type === 'ExtenderAnswered') return true;
  if (actor === 'kubereel') return lifecycleTypes.has(first.type);
  if (actor !== 'apiserver') return false;
  if (ofTheServer.has(first.type)) return true;
  // Until version 0.1.0 nothing says which operation it was.
  if (notes.w === undefined) return first.type === 'Created' || isOfEvents(append);
  return (op.startsWith('bootstrap/') && first.type === 'Created') || (op.startsWith('event-ttl/') && isOfEvents(append));
}

function isOfEvents({ subject }: Append): boolean {
  return subject?.kind === 'object' && subject.resource === 'events';
}
