import type { ClusterState } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { parseStream } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector } from '#libs/kube-api';
import type { ExplainedAttempt } from './explained-attempt';
import type { ObjectReference } from './story';

/** A pod that comes back from the unschedulable ones is tried again within the longest back-off. */
const longestBackoffMs = 10_000;

const keptAway = "node(s) didn't satisfy existing pods anti-affinity rules";

interface Departure {
  pod: string;
  node: string;
  time: number;
}

/**
 * Finds where a waiting pod is the victim of a gap in kube-scheduler's queueing hints: the pod whose own anti-affinity kept it
 * away has left, and nobody tells the queue, as the hint looks at the anti-affinity of the waiting pod only. Fed with every append
 * before it is folded.
 */
export class MissedHints {
  private readonly departures: Departure[] = [];
  private end = 0;

  constructor(
    private readonly cluster: string,
    private readonly object: ObjectReference,
  ) {}

  before(append: readonly RecordedEvent[], state: ClusterState): void {
    const [first] = append;
    if (first === undefined || this.object.resource !== 'pods') return;
    this.end = Math.max(this.end, first.metadata.time as number);
    if (!append.some(({ type }) => type === 'Deleted')) return;
    const subject = parseStream(this.cluster, first.stream);
    if (subject?.kind !== 'object' || subject.resource !== 'pods') return;
    const gone = state.get('pods', subject.namespace, subject.name);
    const waiting = state.get('pods', this.object.namespace, this.object.name);
    const node = gone?.spec?.nodeName as string | undefined;
    if (!gone || !waiting || gone === waiting || !node || waiting.spec?.nodeName || !keepsAway(gone, waiting, state)) return;
    this.departures.push({ pod: `${subject.namespace}/${subject.name}`, node, time: this.end });
  }

  /** Notes each gap with the attempt that was the last one before it. Attempts: of the waiting pod, in the order of time. */
  note(attempts: readonly ExplainedAttempt[]): void {
    for (const { pod, node, time } of this.departures) {
      const index = attempts.findLastIndex((attempt) => attempt.time <= time);
      const last = attempts[index];
      const wasKeptAway = last?.nodes.some(
        (verdict) => verdict.node === node && verdict.plugin === 'InterPodAffinity' && verdict.reasons?.includes(keptAway),
      );
      if (!last || !wasKeptAway) continue;
      const next = attempts[index + 1]?.time;
      if ((next ?? this.end) - time <= longestBackoffMs) continue;
      const until = next === undefined ? `it was not tried again by ${clock(this.end)}` : `it was tried again at ${clock(next)} only`;
      last.oddities.push(
        `${pod}, whose own anti-affinity kept this pod off ${node}, was gone at ${clock(time)}; the queueing hint of kube-scheduler looks at the waiting pod's anti-affinity only and misses that, and so does this one: ${until}`,
      );
    }
  }
}

function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 19);
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** By a required anti-affinity term of the pod that leaves. */
function keepsAway(gone: KubeObject, waiting: KubeObject, state: ClusterState): boolean {
  const terms: Loose[] = gone.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some((term) => {
    const { namespaces = [], namespaceSelector, labelSelector } = term;
    const { namespace = '', labels } = waiting.metadata;
    const isOwn = namespaces.length === 0 && !namespaceSelector;
    const space = state.get('namespaces', undefined, namespace)?.metadata.labels;
    const isMeant = isOwn
      ? namespace === gone.metadata.namespace
      : namespaces.includes(namespace) || (namespaceSelector && compileObjectSelector(namespaceSelector).matches(space));
    return isMeant && labelSelector && compileObjectSelector(labelSelector).matches(labels);
  });
}
