import type { CycleState } from './framework/cycle-state';
import { shapeOf } from './framework/memo/shape';
import type { NodeInfo } from './framework/node-info';
import type { PodInfo } from './framework/pod-info';
import type { Framework } from './framework/runtime';
import type { Status } from './framework/status';

/** The scores of an attempt. Index i is `nodes[i]` throughout. */
export interface NodeScores {
  readonly nodes: readonly string[];
  /** By plugin: normalised to 0–100 and multiplied by the plugin's weight. A plugin that skipped is absent. */
  readonly byPlugin: ReadonlyMap<string, readonly number[]>;
  readonly totals: readonly number[];
}

type Scorer = Framework['plugins']['score'][number];

/** PreScore, Score, NormalizeScore, weights; `extra` is added to the totals, by node. A status is an error. */
export function scoreNodes(
  framework: Framework,
  state: CycleState,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  extra: ReadonlyMap<string, number> = nothing,
): NodeScores | Status {
  const failure = framework.runPreScore(state, pod, nodes);
  if (failure !== undefined) return failure;
  const scorers = framework.plugins.score.filter(({ plugin }) => !state.skipScorePlugins.has(plugin.name));
  const raw = rawScores(framework, state, pod, nodes, scorers);
  const totals: number[] = new Array<number>(nodes.length).fill(0);
  const byPlugin = new Map<string, number[]>();
  for (const [k, { plugin, weight }] of scorers.entries()) {
    const scores = raw[k] as number[];
    plugin.normalizeScores?.(state, pod, nodes, scores);
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] as number;
      if (!(score >= 0 && score <= 100)) return outOfRange(plugin.name, score);
      scores[i] = score * weight;
      totals[i] = (totals[i] as number) + score * weight;
    }
    byPlugin.set(plugin.name, scores);
  }
  if (extra.size > 0)
    for (let i = 0; i < nodes.length; i++) totals[i] = (totals[i] as number) + (extra.get((nodes[i] as NodeInfo).name) ?? 0);
  return { nodes: nodes.map((node) => node.name), byPlugin, totals };
}

const nothing: ReadonlyMap<string, number> = new Map();

/** By scorer, then by node. Scores that follow from node and shape alone are remembered until the node changes. */
function rawScores(
  framework: Framework,
  state: CycleState,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  scorers: readonly Scorer[],
): number[][] {
  const local = scorers.filter(({ plugin }) => plugin.isNodeLocal === true);
  const names = local.map(({ plugin }) => plugin.name).join();
  const memo = state.cycle.snapshot.memos.nodeMemo<readonly number[]>(`score ${framework.id} ${names} ${shapeOf(pod)}`);
  const remembered = nodes.map((node) => {
    if (memo.has(node.slot, node.generation)) return memo.get(node.slot);
    const scores = local.map(({ plugin }) => plugin.score(state, pod, node));
    memo.set(node.slot, node.generation, scores);
    return scores;
  });
  return scorers.map((scorer) => {
    const place = local.indexOf(scorer);
    if (place >= 0) return remembered.map((scores) => scores[place] as number);
    return nodes.map((node) => scorer.plugin.score(state, pod, node));
  });
}

/** The nodes of the highest total, in the order of the list; chance takes one of them. */
export function bestNodes({ nodes, totals }: NodeScores): string[] {
  let max = -Infinity;
  let best: string[] = [];
  for (let i = 0; i < nodes.length; i++) {
    const total = totals[i] as number;
    if (total > max) {
      max = total;
      best = [];
    }
    if (total === max) best.push(nodes[i] as string);
  }
  return best;
}

function outOfRange(plugin: string, score: number): Status {
  const reason = `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, 100] after normalizing`;
  return { code: 'Error', reasons: [`applying score defaultWeights on Score plugins: ${reason}`], plugin };
}
