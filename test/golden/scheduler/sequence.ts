import type { KubeObject } from '#libs/kernel';
import { onNode, onPod } from '#libs/scheduler';
import { schedulePod } from '#libs/scheduling';
import type { AttemptResult, BoundResult, PodInfo, PoppedPod, UnschedulableResult } from '#libs/scheduling';
import { loadCluster, startOfClock } from './cluster';
import type { LoadedCluster } from './cluster';
import { comparePreemption } from './preemption';
import type { Check, ClusterChange, ExpectedAttempt, Scenario, SequenceExpectation } from './scenario';
import { totalsByNode } from './single';

/** More attempts than any recording has: a scenario that does not come to rest is a difference, not a hang. */
const maxAttempts = 500;
const eventGapMs = 20_000;

/** Several pending pods, one attempt after another until nothing moves; then gates are removed, or the cluster changes. */
export function playSequence(scenario: Scenario, check: Check): void {
  new SequencePlayer(scenario, check).play();
}

class SequencePlayer {
  private readonly cluster: LoadedCluster;
  private readonly expected: SequenceExpectation;
  private readonly pods = new Map<string, KubeObject>();
  private readonly nodes = new Map<string, KubeObject>();
  private readonly messages = new Map<string, string>();
  private readonly evicted: string[] = [];
  private now = startOfClock;
  private attempts = 0;
  private actionBefore: string | undefined;
  private afterEvent: number | undefined;
  private nextStartNodeIndex = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly check: Check,
  ) {
    this.cluster = loadCluster(scenario);
    this.expected = scenario.expect as SequenceExpectation;
    for (const pod of scenario.pods ?? []) this.pods.set(keyOf(pod), pod);
    for (const node of scenario.nodes ?? []) this.nodes.set(node.metadata.name, node);
  }

  play(): void {
    for (const pod of this.scenario.pending ?? []) {
      this.now++;
      this.setPod(pod);
    }
    this.attemptUntilQuiet();
    this.removeGates();
    for (const [i, change] of (this.scenario.events ?? []).entries()) this.applyEvent(i, change);
    this.compareEnd();
  }

  private attemptUntilQuiet(): void {
    while (this.attempts < maxAttempts) {
      const popped = this.cluster.queue.pop(this.now + 1);
      if (popped === undefined) return;
      this.now++;
      this.attempt(popped);
    }
  }

  private attempt(popped: PoppedPod): void {
    const { info } = popped.pod;
    const { cluster } = this;
    const result = schedulePod(cluster.cache.snapshot(), info.pod, {
      profile: cluster.profile,
      percentageOfNodesToScore: 100,
      nominated: cluster.queue.nominator,
      chance: () => 0,
      nextStartNodeIndex: this.nextStartNodeIndex,
      now: this.now,
    });
    this.nextStartNodeIndex = result.nextStartNodeIndex;
    this.compareAttempt(popped, result, this.expected.attempts[this.attempts++]);
    this.actionBefore = undefined;
    if (result.kind === 'bound') this.bind(info, result);
    else this.fail(popped, result);
  }

  private compareAttempt({ pod, poppedFrom }: PoppedPod, result: AttemptResult, expected: ExpectedAttempt | undefined): void {
    const path = `attempts[${this.attempts - 1}]`;
    const outcome = result.kind === 'unschedulable' && result.postFilter?.nominatedNodeName ? 'nominated' : result.kind;
    const place = {
      atMillis: this.now - startOfClock,
      pod: pod.info.key,
      poppedFrom,
      result: outcome,
      actionBefore: this.actionBefore,
      afterEvent: this.afterEvent,
    };
    const { atMillis, pod: name, poppedFrom: from, result: kind, actionBefore, afterEvent } = expected ?? ({} as Partial<ExpectedAttempt>);
    this.check('sequence', path, { atMillis, pod: name, poppedFrom: from, result: kind, actionBefore, afterEvent }, place);
    if (expected === undefined) return;
    if (result.kind === 'bound') {
      this.check('best', `${path}.best`, expected.best, [...result.best].sort());
      this.check('best', `${path}.nominatedNodeUsed`, expected.nominatedNodeUsed ?? false, result.nominatedNodeUsed);
      if (expected.totals !== undefined)
        this.check('scores', `${path}.totals`, expected.totals, result.scores && totalsByNode(result.scores));
    } else {
      this.check('message', `${path}.message`, expected.message, result.message);
      if (result.kind === 'unschedulable' && expected.preemption !== undefined) {
        comparePreemption(
          expected.preemption,
          result,
          (aspect, field, wanted, actual) => this.check(aspect, `${path}.${field}`, wanted, actual),
          'part',
        );
      }
    }
  }

  private bind(info: PodInfo, result: BoundResult): void {
    const { cache, queue } = this.cluster;
    const node = [...result.best].sort()[0] as string;
    cache.assumePod(info.pod, node);
    queue.nominator.delete(info.uid);
    queue.done(info.uid);
    this.messages.delete(info.key);
    const startTime = new Date(Date.parse('2026-01-03T00:00:00Z') + this.attempts * 1000).toISOString();
    this.setPod({ ...info.pod, spec: { ...info.pod.spec, nodeName: node }, status: { ...info.pod.status, phase: 'Running', startTime } });
  }

  /** The failure is written first; then lower nominations are cleared and the victims vanish. */
  private fail(popped: PoppedPod, result: Exclude<AttemptResult, BoundResult>): void {
    const { info } = popped.pod;
    this.cluster.queue.addUnschedulable(popped.pod, result, this.now);
    this.messages.set(info.key, result.message);
    if (result.kind !== 'unschedulable') return;
    const nomination = result.postFilter?.nominatedNodeName;
    if (nomination !== undefined) this.nominate(info.pod, nomination);
    else this.setPod({ ...info.pod, status: { ...info.pod.status } });
    this.evict(result);
  }

  private evict({ postFilter }: UnschedulableResult): void {
    for (const other of postFilter?.preemption?.nominationsToClear ?? []) this.nominate(this.pods.get(other.key) as KubeObject, '');
    for (const victim of postFilter?.preemption?.chosen?.victims ?? []) {
      this.evicted.push(victim.key);
      this.removePod(victim.key);
    }
  }

  private nominate(pod: KubeObject, node: string): void {
    this.setPod({ ...pod, status: { ...pod.status, nominatedNodeName: node === '' ? undefined : node } });
  }

  /** One by one in name order; of two or more gated pods the last stays gated. */
  private removeGates(): void {
    const gated = [...this.pods.values()]
      .filter((pod) => (pod.spec?.schedulingGates ?? []).length > 0)
      .map(keyOf)
      .sort();
    const freed = gated.length > 1 ? gated.slice(0, -1) : gated;
    for (const key of freed) {
      this.now++;
      const pod = this.pods.get(key) as KubeObject;
      this.actionBefore = `remove all scheduling gates of ${key}`;
      this.setPod({ ...pod, spec: { ...pod.spec, schedulingGates: undefined } });
      this.attemptUntilQuiet();
      this.actionBefore = undefined;
    }
  }

  private applyEvent(index: number, change: ClusterChange): void {
    this.now += eventGapMs;
    this.afterEvent = index;
    if (change.kind === 'Node') this.changeNode(change);
    else this.changePod(change);
    const requeued = this.cluster.queue
      .waiting()
      .map((pod) => pod.key)
      .sort();
    this.check('requeue', `requeued[${index}]`, this.expected.requeued?.[index] ?? [], requeued);
    this.attemptUntilQuiet();
  }

  private changeNode({ op, name, object }: ClusterChange): void {
    const old = this.nodes.get(name);
    if (op !== 'create' && old === undefined) return;
    if (object === undefined) this.nodes.delete(name);
    else this.nodes.set(name, object);
    onNode(this.cluster, old, object, this.now);
  }

  private changePod({ op, namespace, name, object }: ClusterChange): void {
    const key = `${namespace ?? ''}/${name}`;
    const old = this.pods.get(key);
    if (op === 'delete') {
      if (old !== undefined) this.removePod(key);
    } else if (op === 'create') {
      this.setPod(object as KubeObject);
    } else if (old !== undefined && object !== undefined) {
      // Labels and tolerations are those of the object; all else stays.
      const { labels } = object.metadata;
      this.setPod({ ...old, metadata: { ...old.metadata, labels }, spec: { ...old.spec, tolerations: object.spec?.tolerations } });
    }
  }

  private setPod(pod: KubeObject): void {
    const key = keyOf(pod);
    const old = this.pods.get(key);
    this.pods.set(key, pod);
    onPod(this.cluster, old, pod, this.now);
  }

  private removePod(key: string): void {
    const old = this.pods.get(key);
    this.pods.delete(key);
    this.messages.delete(key);
    onPod(this.cluster, old, undefined, this.now);
  }

  private compareEnd(): void {
    this.check('sequence', 'attempts.length', this.expected.attempts.length, this.attempts);
    const all = [...this.pods].sort(([a], [b]) => (a < b ? -1 : 1));
    const byPod = (value: (pod: KubeObject, key: string) => string | undefined): Record<string, string> =>
      Object.fromEntries(
        all
          .map(([key, pod]): [string, string | undefined] => [key, value(pod, key)])
          .filter((entry): entry is [string, string] => Boolean(entry[1])),
      );
    const isPending = (pod: KubeObject): boolean => !pod.spec?.nodeName;
    this.check(
      'sequence',
      'placements',
      this.expected.placements,
      byPod((pod) => pod.spec?.nodeName as string | undefined),
    );
    this.check('sequence', 'evicted', this.expected.evicted ?? [], this.evicted);
    this.check(
      'sequence',
      'unscheduled',
      this.expected.unscheduled ?? {},
      byPod((_pod, key) => this.messages.get(key)),
    );
    const nominated = byPod((pod) => (isPending(pod) ? (pod.status?.nominatedNodeName as string | undefined) : undefined));
    this.check('sequence', 'nominated', this.expected.nominated ?? {}, nominated);
    const gated = all.filter(([, pod]) => (pod.spec?.schedulingGates ?? []).length > 0).map(([key]) => key);
    this.check('sequence', 'gated', this.expected.gated ?? [], gated);
  }
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}
