import type { ClusterState } from '#libs/cluster-state';
import type { Reconciliation, Step } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { formatTime, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { parseYaml } from '#libs/kube-api';
import { internalIP } from '../node-registration/node-of-kubelet';
import { QueryError } from './query';
import { below, chosenStage, dueAt, finalizersAfter, lastMoment, matches, specOfStage, type StageNext } from './stage';
import type { TemplateFunction } from './template/functions';
import { render } from './template/render';
import { TemplateError } from './template/tokens';

export const stageResource = 'stages.kwok.x-k8s.io';

/** What Stages have to say of a pod now. */
export interface StagedLook extends Reconciliation {
  /** The pod lives by Stages alone: its kubelet leaves it to them. */
  isOwn: boolean;
}

/** The Stages about pods, by their names; undefined where there is none. */
function podStages(cluster: ClusterState): KubeObject[] | undefined {
  const table = cluster.table(stageResource);
  if (table.objects.size === 0) return undefined;
  const stages = [...table.list()].filter((stage) => specOfStage(stage).resourceRef?.kind === 'Pod');
  return stages.length === 0 ? undefined : stages;
}

/** What a pod is that its node has not taken yet. */
function beforeAll(pod: KubeObject): KubeObject {
  const { deletionTimestamp: _at, deletionGracePeriodSeconds: _grace, ...metadata } = pod.metadata;
  const { conditions = [], qosClass } = (pod.status ?? {}) as { conditions?: { type: string }[]; qosClass?: string };
  const scheduled = conditions.filter(({ type }) => type === 'PodScheduled');
  return {
    ...pod,
    metadata,
    status: { phase: 'Pending', qosClass, ...(scheduled.length > 0 ? { conditions: scheduled } : {}) },
  } as KubeObject;
}

/**
 * Plays the Stage that the pod is in, when its time has come. A pod whose beginning a Stage takes over is left to Stages as a whole; of any other one
 * they take what they match, and its kubelet does the rest. Undefined: no Stage is about pods.
 * @param addressFor an address for the pod
 */
export function lookAtStages(
  cluster: ClusterState,
  pod: KubeObject,
  node: KubeObject,
  { now, addressFor }: { now: number; addressFor: (node: KubeObject, pod: KubeObject) => string },
): StagedLook | undefined {
  const stages = podStages(cluster);
  if (!stages) return undefined;
  let isOwn = true;
  try {
    const fresh = beforeAll(pod);
    isOwn = stages.some((stage) => matches(specOfStage(stage), fresh));
    const stage = chosenStage(stages, pod);
    if (!stage) return { isOwn, steps: [] };
    const due = dueAt(stage, pod, lastMoment(pod));
    if (due > now) return { isOwn, steps: [], wakeAt: due };
    return { isOwn, ...play(specOfStage(stage).next ?? {}, pod, functionsFor(cluster, pod, node, { now, addressFor })) };
  } catch (error) {
    if (!(error instanceof TemplateError || error instanceof QueryError)) throw error;
    return { isOwn, steps: [], records: [reported(pod, { type: 'Warning', reason: 'StageFailed', message: error.message })] };
  }
}

function play(
  next: StageNext,
  pod: KubeObject,
  functions: Readonly<Record<string, TemplateFunction>>,
): { steps: Step[]; records?: Fact[] } {
  const { namespace, name, uid } = pod.metadata;
  const target = { resource: 'pods', namespace, name };
  const steps: Step[] = [];
  const finalizers = finalizersAfter(next, pod);
  if (finalizers) {
    const patch = { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } };
    steps.push({ step: 'finalizers', request: { verb: 'patch', target, patchType: 'merge', patch } });
  }
  if (next.delete) {
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    steps.push({ step: 'delete', request: { verb: 'delete', target, options } });
  } else
    steps.push(
      ...patches(next, pod, functions).map(({ patch, type, subresource }, index): Step => ({
        step: `patch-${index}`,
        request: { verb: 'patch', target, patchType: type, patch, ...(subresource === 'status' ? { subresource } : {}) },
      })),
    );
  const { event } = next;
  return { steps, ...(event ? { records: [reported(pod, event)] } : {}) };
}

type PatchType = 'strategic' | 'merge' | 'json';

const patchTypes: Readonly<Record<string, PatchType>> = { json: 'json', merge: 'merge', strategic: 'strategic' };

function patches(
  { statusTemplate, patches: told = [] }: StageNext,
  pod: KubeObject,
  functions: Readonly<Record<string, TemplateFunction>>,
): { patch: Json; type: PatchType; subresource?: string }[] {
  const ofStatus =
    statusTemplate === undefined ? [] : [{ template: statusTemplate, root: 'status', subresource: 'status', type: undefined }];
  return [...ofStatus, ...told].flatMap(({ template = '', root, subresource, type }) => {
    const { value, error } = parseYaml(render(template, pod, functions));
    if (error !== undefined) throw new TemplateError(error);
    if (value === null || value === undefined) return [];
    const patch = type === 'json' ? (value as Json) : below(root, value as JsonObject);
    return [{ patch, type: patchTypes[type ?? ''] ?? 'strategic', ...(subresource ? { subresource } : {}) }];
  });
}

function reported({ metadata }: KubeObject, event: { type?: string; reason?: string; message?: string }): Fact {
  const { namespace = '', name, uid } = metadata;
  const type = event.type === 'Warning' ? 'Warning' : 'Normal';
  const { reason = '', message = '' } = event;
  return fact('Reported', { resource: 'pods', namespace, name, uid, type, reason, message, component: 'kwok' });
}

/** Functions that stages have beside those of templates. */
function functionsFor(
  cluster: ClusterState,
  pod: KubeObject,
  node: KubeObject,
  { now, addressFor }: { now: number; addressFor: (node: KubeObject, pod: KubeObject) => string },
): Readonly<Record<string, TemplateFunction>> {
  const nodeNamed = (name: unknown): KubeObject | undefined => cluster.get('nodes', undefined, String(name));
  const podIP = (): string => {
    const held = pod.status?.podIP as string | undefined;
    return held || (pod.spec?.hostNetwork ? (internalIP(node) ?? '') : addressFor(node, pod));
  };
  return {
    Now: () => formatTime(now),
    StartTime: () => node.metadata.creationTimestamp,
    Version: () => 'kubereel',
    Quote: (value) => (typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(JSON.stringify(value ?? null))),
    YAML: (value, indent) => yamlOf(value, typeof indent === 'number' ? indent : 0),
    NodeConditions: () => (node.status?.conditions ?? []) as unknown,
    NodeName: () => node.metadata.name,
    NodeIP: () => internalIP(node) ?? '',
    NodeIPWith: (name) => internalIP(nodeNamed(name) ?? node) ?? '',
    NodePort: () => 10_250,
    PodIP: podIP,
    PodIPWith: podIP,
  };
}

/** JSON is YAML, too: on one line it stands at any depth. */
const yamlOf = (value: unknown, indent: number): string =>
  `${indent > 0 ? '\n' : ''}${'  '.repeat(indent)}${JSON.stringify(value ?? null)}`;
