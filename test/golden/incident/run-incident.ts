// Re-enacts a recorded incident: the whole control plane in virtual time, on the recorded nodes, with the recorded actions.
import type { RecordedEvent } from '#libs/event-log';
import { fact, type VictimReference } from '#libs/events';
import { derivedId, type JsonObject, type KubeObject } from '#libs/kernel';
import { releaseKinds, type PatchType, type Target } from '#libs/kube-api';
import { applyManifest, drainable, patchObject, readManifest, scaleObject } from '../../../apps/cli/src/simulation/actions';
import { drainNode } from '../../../apps/cli/src/simulation/drain';
import { controllerManagerRate } from '../../../apps/cli/src/simulation/rate-limited';
import { SimulatedCluster } from '../../../apps/cli/src/simulation/simulated-cluster';
import type { Action, PreemptedPod, Preemption, RunIncident } from './incident';

/** Recorded pods were Running 0.8 to 2.8 s after their binding. */
const startupMs = 1_500;

export interface IncidentOptions {
  /** Of ties and names: an incident has as many ways to go as there are seeds. */
  seed?: string;
}

export const runIncident: RunIncident = async (_objects, actions, seed) => {
  const { cluster, preemptions } = await reenact(actions, { seed });
  await cluster.close();
  return preemptions;
};

/** The cluster as the incident left it, and the preemptions in the order of their decisions. @throws on a kind that is not served. */
export async function reenact(
  actions: readonly Action[],
  options: IncidentOptions = {},
): Promise<{ cluster: SimulatedCluster; preemptions: Preemption[] }> {
  // No container of the recording ended before its grace was over, and the controllers had their default rates.
  const cluster = await SimulatedCluster.create({
    seed: options.seed,
    kubelet: { startupMs, onTerm: 'ignore' },
    controllerRate: controllerManagerRate,
  });
  const record = new PreemptionRecord();
  cluster.runtime.folded$.subscribe((appends) => {
    for (const { events, change } of appends) {
      if (change?.resource === 'pods') record.pod(change.object);
      for (const event of events) record.take(event);
    }
  });
  const start = cluster.clock.now();
  const underWay: Promise<unknown>[] = [];
  for (const action of actions) {
    await cluster.executive.runUntil(start + action.at * 1_000);
    underWay.push(perform(cluster, action));
    await cluster.executive.settle();
  }
  await Promise.all(underWay);
  return { cluster, preemptions: record.preemptions };
}

async function perform(cluster: SimulatedCluster, action: Action): Promise<void> {
  const { user } = action;
  switch (action.verb) {
    case 'apply':
      for (const object of action.objects) await applyManifest(cluster, object as unknown as JsonObject, user);
      return;
    case 'create': {
      const { kind, object } = readManifest(action.object as unknown as JsonObject);
      await cluster.write({ verb: 'create', resource: kind.groupResource, namespace: object.metadata.namespace, object }, user);
      return;
    }
    case 'delete':
      await cluster.write({ verb: 'delete', target: targetOf(action), options: action.options as never }, user);
      return;
    case 'patch':
      await patchObject(cluster, targetOf(action), action.patch as never, action.patchType as PatchType, user);
      return;
    case 'scale':
      await scaleObject(cluster, targetOf(action), action.replicas, user);
      return;
    case 'evict':
      await cluster.write({ verb: 'evict', target: targetOf(action) }, user);
      return;
    case 'drain':
      await drainNode(drainable(cluster, user), action.node, { timeoutMs: timeoutOf(action.args) });
      return;
    case 'kubelet-stops':
    case 'kubelet-starts': {
      const type = action.verb === 'kubelet-stops' ? 'NodeHeartbeatStopped' : 'NodeHeartbeatResumed';
      const operation = `incident/${action.verb}/${action.at}`;
      const facts = action.nodes.map((node) => fact(type, { node }));
      await cluster.runtime.appendDecision(
        'kubelet-decisions',
        facts,
        { actor: 'user:recorder', operation, correlationId: derivedId(operation) },
        '0',
      );
      return;
    }
    case 'end':
  }
}

/** `--timeout=60s` */
function timeoutOf(args: readonly string[]): number | undefined {
  const text = args.find((arg) => arg.startsWith('--timeout='))?.slice('--timeout='.length);
  return text === undefined ? undefined : Number(text.replace(/s$/, '')) * 1_000;
}

const apiVersions = ['v1', 'apps/v1', 'policy/v1', 'scheduling.k8s.io/v1', 'batch/v1'];

function targetOf({ kind, namespace, name }: { kind: string; namespace?: string | null; name: string }): Target {
  for (const apiVersion of apiVersions) {
    const found = releaseKinds.findKind(apiVersion, kind);
    if (found) return { resource: found.groupResource, namespace: found.namespaced ? (namespace ?? 'default') : undefined, name };
  }
  throw new Error(`no kind ${kind}`);
}

/** Who preempted whom, read off the log as it grows. */
class PreemptionRecord {
  readonly preemptions: Preemption[] = [];
  private readonly owners = new Map<string, string>();
  private readonly terminating = new Set<string>();

  pod({ metadata }: KubeObject): void {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    if (owner) this.owners.set(metadata.uid, `${owner.kind}/${owner.name}`);
    if (metadata.deletionTimestamp) this.terminating.add(metadata.uid);
  }

  take({ type, data }: RecordedEvent): void {
    if (type !== 'PreemptionDecided') return;
    this.preemptions.push({
      preemptor: `${String(data.namespace)}/${String(data.pod)}`,
      owner: this.owners.get(data.uid as string),
      priority: data.priority as number,
      node: data.node as string,
      victims: (data.victims as unknown as VictimReference[]).map((victim) => this.victim(victim)),
    });
  }

  private victim({ namespace, name, uid, priority }: VictimReference): PreemptedPod {
    const alreadyTerminating = this.terminating.has(uid);
    return { pod: `${namespace}/${name}`, owner: this.owners.get(uid), priority, ...(alreadyTerminating ? { alreadyTerminating } : {}) };
  }
}
