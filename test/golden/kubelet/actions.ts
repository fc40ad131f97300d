// What was done in a recording, done to ours.
import type { SimulatedCluster } from '../../../apps/cli/src/simulation/simulated-cluster';
import type { WriteResult } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { derivedId, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Difference } from '../play-result';
import { mebibyte, nodeObject } from './node-setup';
import type { PodScript, RecordedAction, RecordedLife } from './recording';
import { annotationsOf } from './script';

type Act = (cluster: SimulatedCluster, namespace: string, action: RecordedAction, life: RecordedLife) => Promise<WriteResult | void>;

/** Annotations of a recorded manifest that say what its containers do. */
const recorded = 'sim/';

const patch =
  (of?: 'status'): Act =>
  (cluster, namespace, { pod: name = '', sub, body }) => {
    const target = { resource: 'pods', namespace, name };
    const subresource = of ?? sub;
    return cluster.writeAndSettle({ verb: 'patch', target, subresource, patchType: 'strategic', patch: body as Json });
  };

const create: Act = (cluster, namespace, { resource = 'pods', body }) =>
  cluster.writeAndSettle({ verb: 'create', resource, namespace, object: body as unknown as KubeObject });

const acts: Readonly<Record<string, Act>> = {
  delete: (cluster, namespace, { pod: name = '', grace }) => {
    const options = grace === undefined ? {} : { gracePeriodSeconds: grace };
    return cluster.writeAndSettle({ verb: 'delete', target: { resource: 'pods', namespace, name }, options });
  },
  evict: (cluster, namespace, { pod: name = '' }) =>
    cluster.writeAndSettle({ verb: 'evict', target: { resource: 'pods', namespace, name } }),
  patch: patch(),
  'patch-status': patch('status'),
  'create-pod': create,
  create,
  'patch-node': (cluster, _namespace, { node: name = '', body }) =>
    cluster.writeAndSettle({ verb: 'patch', target: { resource: 'nodes', name }, patchType: 'strategic', patch: body as Json }),
  'static-file': (cluster, _namespace, { node = '', file = '', body }) =>
    tell(
      cluster,
      fact('StaticPodFileChanged', {
        node,
        file,
        ...(body && { manifest: withOwnAnnotations(body as unknown as KubeObject) as unknown as JsonObject }),
      }),
    ),
  'kubelet-stop': (cluster, _namespace, { node = '' }) => tell(cluster, fact('NodeHeartbeatStopped', { node })),
  'kubelet-start': async (cluster, _namespace, { node = '' }, life) => {
    if (cluster.state.get('nodes', undefined, node)) return tell(cluster, fact('KubeletRestarted', { node }));
    return cluster.writeAndSettle({ verb: 'create', resource: 'nodes', object: nodeObject(life) });
  },
  pressure: (cluster, _namespace, { node = '', mem, disk }) => {
    const { memoryBytes = 0, diskBytes = 0 } = cluster.state.decisions.nodes.of(node).load ?? {};
    const amounts = {
      memoryBytes: mem === undefined ? memoryBytes : mem * mebibyte,
      diskBytes: disk === undefined ? diskBytes : disk * mebibyte,
    };
    return tell(cluster, fact('NodeLoadChanged', { node, ...amounts }));
  },
  runtime: (cluster, namespace, { node = '', kill, network, runtime }) => {
    const killed = kill === undefined || kill === 'reboot' ? undefined : uidsOf(cluster, namespace, kill.split(','));
    const states = { ...(network && { network }), ...(runtime && { runtime }), ...(killed && { killed }) };
    return tell(cluster, fact('RuntimeStateChanged', { node, ...states, ...(kill === 'reboot' && { rebooted: true }) }));
  },
};

/** A manifest with what its annotations of the recorder say, in our own annotations. */
function withOwnAnnotations(manifest: KubeObject): KubeObject {
  const script: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(manifest.metadata.annotations ?? {})) {
    if (key.startsWith(recorded)) script[key.slice(recorded.length)] = JSON.parse(text);
  }
  const annotations = { ...manifest.metadata.annotations, ...annotationsOf(script as PodScript, manifest) };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

export async function tell(cluster: SimulatedCluster, told: Fact): Promise<void> {
  const operation = `told/${cluster.elapsed}/${told.type}`;
  const origin = { actor: 'user:admin', operation, correlationId: derivedId(operation) };
  await cluster.runtime.appendDecision('kubelet-decisions', [told], origin, '0');
}

function uidsOf(cluster: SimulatedCluster, namespace: string, names: readonly string[]): string[] {
  return names.flatMap((name) => cluster.state.get('pods', namespace, name)?.metadata.uid ?? []);
}

/** Does it, and names the difference of the answer. */
export async function act(
  cluster: SimulatedCluster,
  namespace: string,
  action: RecordedAction,
  life: RecordedLife,
): Promise<Difference | undefined> {
  const perform = Object.hasOwn(acts, action.do) ? acts[action.do] : undefined;
  if (!perform) return { path: action.do, text: 'nothing here can do that' };
  const result = await perform(cluster, namespace, action, life);
  if (!result || action.code === undefined) return undefined;
  const code = result.kind === 'refused' ? result.status.code : action.code < 300 ? action.code : 200;
  const message = result.kind === 'refused' ? result.status.message : '';
  if (code !== action.code) return { path: 'code', text: `expected ${action.code}, got ${code} ${message}`.trimEnd() };
  const expected = action.answer?.message;
  return expected === undefined || expected === message
    ? undefined
    : { path: 'answer.message', text: `expected ${expected}, got ${message}` };
}
