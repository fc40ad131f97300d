import type { FoldedAppend } from '#libs/cluster-state';
import type { VictimReference } from '#libs/events';
import type { Happening } from './target';

/** What of a cluster's events a reader of a story wants to know: what was decided about pods, and what became of them. */
export class Narrator {
  private happenings: Happening[] = [];
  private readonly lastMessages = new Map<string, string>();
  /** Victims by uid that were named before: a second preemptor may name them again while they go. */
  private readonly named = new Set<string>();

  constructor(private readonly startedAt: number) {}

  take(append: FoldedAppend): void {
    for (const event of append.events) {
      const told = this.tell(event.type, event.data, append);
      if (told) this.happenings.push({ at: append.time - this.startedAt, ...told });
    }
  }

  /** All since it was last asked. */
  news(): Happening[] {
    const { happenings } = this;
    this.happenings = [];
    return happenings;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  private tell(type: string, data: any, { change }: FoldedAppend): Omit<Happening, 'at'> | undefined {
    if (type === 'PreemptionDecided') return { text: this.preemption(data) };
    if (type === 'SchedulingAttempted') return this.attempt(data);
    if (change?.resource !== 'pods') return undefined;
    const pod = change.object;
    const name = shortName(pod.metadata.namespace, pod.metadata.name);
    switch (type) {
      case 'PodScheduled':
        return { group: { before: 'bound:' }, text: `${name} → ${data.node}` };
      case 'PodNominationCleared':
        return { text: `${name} loses its nomination` };
      case 'PodRejectedByKubelet':
        return { text: `the kubelet of ${pod.spec?.nodeName} rejects ${name}: ${data.reason}` };
      case 'PodTerminated':
        return {
          group: { before: pod.metadata.deletionTimestamp ? 'ended:' : data.phase === 'Failed' ? 'failed:' : 'succeeded:' },
          text: name,
        };
      case 'Deleted':
        // One that has ended holds no room any more; that its object goes too is no news.
        return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed' ? undefined : { group: { before: 'gone:' }, text: name };
      default:
        return undefined;
    }
  }

  private preemption(data: {
    namespace: string;
    pod: string;
    priority: number;
    node: string;
    victims: VictimReference[];
    losers: string[];
    budgetViolations: number;
  }): string {
    const victims = data.victims.map(
      ({ namespace, name, uid, priority }) => `${shortName(namespace, name)} (${priority}${this.named.has(uid) ? ', going already' : ''})`,
    );
    for (const { uid } of data.victims) this.named.add(uid);
    const violation =
      data.budgetViolations > 0
        ? `, though that violates ${data.budgetViolations === 1 ? 'a budget' : `budgets ${data.budgetViolations} times`}`
        : '';
    return `${shortName(data.namespace, data.pod)} (${data.priority}) preempts ${victims.join(' and ')} on ${data.node}${violation}`;
  }

  /** Only what is new: an attempt may end as the last one did, again and again. */
  private attempt(data: {
    namespace: string;
    pod: string;
    uid: string;
    outcome: string;
    message?: string;
  }): Omit<Happening, 'at'> | undefined {
    const message = data.message ?? this.lastMessages.get(data.uid);
    const known = this.lastMessages.get(data.uid) === message;
    if (message !== undefined) this.lastMessages.set(data.uid, message);
    if (known || data.outcome === 'nominated' || data.outcome === 'skipped') return undefined;
    return { group: { before: 'pending:', after: `: ${message}` }, text: shortName(data.namespace, data.pod) };
  }
}

/** Names in the namespace `default` go without it. */
export function shortName(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === 'default' || namespace === '' ? name : `${namespace}/${name}`;
}
