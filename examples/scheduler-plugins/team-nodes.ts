import type {
  ClusterEventWithHint,
  CycleState,
  FilterPlugin,
  NodeInfo,
  PluginFactory,
  PodInfo,
  ScorePlugin,
  Status,
} from '#libs/scheduling';

interface TeamNodesArgs {
  /** The label that says which team a node, or a pod, belongs to. */
  label?: string;
}

/** Keeps pods on the nodes of their team; pods and nodes without a team take what is left, nodes of nobody first. */
class TeamNodes implements FilterPlugin, ScorePlugin {
  readonly name = 'TeamNodes';
  /** Raised whenever the same pod and node may get another answer: `verify` then counts older decisions apart. */
  readonly version = '1';
  private readonly label: string;
  /** Made once: the filter runs once a node. */
  private readonly refusal: Status;

  constructor({ label = 'example.com/team' }: TeamNodesArgs = {}) {
    this.label = label;
    // Unresolvable: whatever pods were removed from the node, it would still be another team's. Preemption leaves it alone.
    this.refusal = { code: 'UnschedulableAndUnresolvable', reasons: ['node(s) belonged to another team'], plugin: this.name };
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    const team = node.labels[this.label];
    return team === undefined || team === pod.labels[this.label] ? undefined : this.refusal;
  }

  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    return node.labels[this.label] === pod.labels[this.label] ? 100 : 0;
  }

  /** A refused pod is tried again when a node comes, or changes its labels (Add 1, UpdateNodeLabel 8). */
  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [{ event: { resource: 'Node', actions: 1 | 8, label: '' } }];
  }
}

/** By the name that a configuration enables it by. */
export const registry: Record<string, PluginFactory> = {
  TeamNodes: (args) => new TeamNodes(args as TeamNodesArgs | undefined),
};
