import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import type { Extender } from '../config/types';
import type { NodeInfo } from '../framework/node-info';
import type { PodInfo } from '../framework/pod-info';
import type { Status } from '../framework/status';
import type { ExtenderDialogue } from './extender';
import { isInterested } from './extender';

/** The body of filter and prioritize: nodes in full, or by name for an extender that knows them. */
export function extenderArgs(extender: Extender, pod: PodInfo, nodes: readonly NodeInfo[]): JsonObject {
  const Pod = pod.pod as unknown as Json;
  if (extender.nodeCacheCapable) return { Pod, Nodes: null, NodeNames: nodes.map((node) => node.name) };
  const items = nodes.map((node) => node.node as unknown as Json);
  return { Pod, Nodes: { metadata: {}, items }, NodeNames: null };
}

export interface ExtenderFiltering {
  readonly feasible: readonly NodeInfo[];
  readonly refusals: ReadonlyMap<NodeInfo, Status>;
}

/** Extender after extender on what the ones before left. A text is an error. */
export function filterByExtenders(dialogue: ExtenderDialogue, pod: PodInfo, nodes: readonly NodeInfo[]): ExtenderFiltering | string {
  let feasible = nodes;
  const refusals = new Map<NodeInfo, Status>();
  for (const [place, extender] of dialogue.extenders.entries()) {
    if (feasible.length === 0) break;
    if (extender.filterVerb === '' || !isInterested(extender, pod)) continue;
    const answer = dialogue.ask(place, 'filter', extenderArgs(extender, pod, feasible));
    const left = typeof answer === 'string' ? answer : nodesLeft(extender, answer, feasible);
    if (typeof left === 'string') {
      if (extender.ignorable) continue;
      return left;
    }
    const { FailedNodes, FailedAndUnresolvableNodes } = answer as JsonObject;
    for (const [failed, code] of [
      [FailedNodes, 'Unschedulable'],
      [FailedAndUnresolvableNodes, 'UnschedulableAndUnresolvable'],
    ] as const) {
      if (!isObject(failed)) continue;
      for (const node of feasible) {
        if (Object.hasOwn(failed, node.name)) refusals.set(node, { code, reasons: [String(failed[node.name])] });
      }
    }
    feasible = left;
  }
  return { feasible, refusals };
}

function nodesLeft(extender: Extender, answer: JsonObject | Json[], nodes: readonly NodeInfo[]): readonly NodeInfo[] | string {
  if (!isObject(answer)) return 'extender answered filter with a list';
  if (typeof answer.Error === 'string' && answer.Error !== '') return answer.Error;
  const names = namesIn(extender, answer);
  if (names === undefined) return [];
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const left: NodeInfo[] = [];
  for (const name of names) {
    const node = byName.get(name);
    if (node === undefined)
      return `extender "${extender.urlPrefix}" claims a filtered node "${name}" which is not found in the input node list`;
    left.push(node);
  }
  return left;
}

function namesIn(extender: Extender, answer: JsonObject): string[] | undefined {
  if (extender.nodeCacheCapable && Array.isArray(answer.NodeNames)) return answer.NodeNames.map(String);
  const list = isObject(answer.Nodes) ? (answer.Nodes.items ?? answer.Nodes.Items) : undefined;
  if (!Array.isArray(list)) return undefined;
  return list.map((item) => (isObject(item) && isObject(item.metadata) ? String(item.metadata.name) : ''));
}

const maxExtenderScore = 10;

/** What interested extenders add to the totals, by node. Their errors are ignored. */
export function extenderScores(dialogue: ExtenderDialogue, pod: PodInfo, nodes: readonly NodeInfo[]): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  for (const [place, extender] of dialogue.extenders.entries()) {
    if (extender.prioritizeVerb === '' || !isInterested(extender, pod)) continue;
    const answer = dialogue.ask(place, 'prioritize', extenderArgs(extender, pod, nodes));
    if (!Array.isArray(answer)) continue;
    for (const entry of answer) {
      if (!isObject(entry) || typeof entry.Host !== 'string' || typeof entry.Score !== 'number') continue;
      scores.set(entry.Host, (scores.get(entry.Host) ?? 0) + entry.Score * extender.weight * (100 / maxExtenderScore));
    }
  }
  return scores;
}
