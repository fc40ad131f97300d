import type { Fields } from './fields';
import { maxInt } from './fields';

/** Checks the arguments of a plugin and fills in their defaults. */
type ReadArgs = (args: Fields) => object;

const header = ['apiVersion', 'kind'] as const;

/** The default plugins that take arguments; those of other plugins are passed on as they are. */
export const pluginArgs: ReadonlyMap<string, ReadArgs> = new Map<string, ReadArgs>([
  ['CrossNodePreemption', crossNodePreemption],
  ['DefaultPreemption', defaultPreemption],
  ['InterPodAffinity', interPodAffinity],
  ['NodeAffinity', nodeAffinity],
  ['NodeResourcesFit', nodeResourcesFit],
  ['NodeResourcesBalancedAllocation', balancedAllocation],
  ['PodTopologySpread', podTopologySpread],
  ['VolumeBinding', volumeBinding],
  ['DynamicResources', dynamicResources],
]);

function defaultPreemption(args: Fields): object {
  args.allow(...header, 'minCandidateNodesPercentage', 'minCandidateNodesAbsolute');
  const minCandidateNodesPercentage = args.integer('minCandidateNodesPercentage', 0, 100, 10);
  const minCandidateNodesAbsolute = args.integer('minCandidateNodesAbsolute', 0, maxInt, 100);
  if (minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0) {
    args.problem('', 'minCandidateNodesPercentage and minCandidateNodesAbsolute cannot both be 0');
  }
  return { minCandidateNodesPercentage, minCandidateNodesAbsolute };
}

function crossNodePreemption(args: Fields): object {
  args.allow(...header, 'maxNodes', 'maxVictims', 'maxCombinations');
  return {
    maxNodes: args.integer('maxNodes', 1, 5_000, 100),
    maxVictims: args.integer('maxVictims', 1, 1_000, 10),
    maxCombinations: args.integer('maxCombinations', 1, 1_000_000, 5_000),
  };
}

function interPodAffinity(args: Fields): object {
  args.allow(...header, 'hardPodAffinityWeight', 'ignorePreferredTermsOfExistingPods');
  return {
    hardPodAffinityWeight: args.integer('hardPodAffinityWeight', 0, 100, 1),
    ignorePreferredTermsOfExistingPods: args.flag('ignorePreferredTermsOfExistingPods', false),
  };
}

function nodeAffinity(args: Fields): object {
  args.allow(...header, 'addedAffinity');
  if (!args.has('addedAffinity')) return {};
  const added = args
    .child('addedAffinity')
    .allow('requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution');
  if (added.has('requiredDuringSchedulingIgnoredDuringExecution')) {
    const required = added.child('requiredDuringSchedulingIgnoredDuringExecution').allow('nodeSelectorTerms');
    if (required.list('nodeSelectorTerms').length === 0) required.problem('nodeSelectorTerms', 'must have at least one term');
    for (const term of required.children('nodeSelectorTerms')) nodeSelectorTerm(term);
  }
  for (const preferred of added.children('preferredDuringSchedulingIgnoredDuringExecution')) {
    preferred.allow('weight', 'preference');
    preferred.integer('weight', 1, 100);
    nodeSelectorTerm(preferred.child('preference'));
  }
  return { addedAffinity: args.raw('addedAffinity') as object };
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const;

function nodeSelectorTerm(term: Fields): void {
  term.allow('matchExpressions', 'matchFields');
  for (const expression of [...term.children('matchExpressions'), ...term.children('matchFields')]) {
    expression.allow('key', 'operator', 'values');
    if (!expression.text('key')) expression.problem('key', 'is required');
    const operator = expression.oneOf('operator', operators, 'Exists');
    const count = expression.strings('values').length;
    if ((operator === 'In' || operator === 'NotIn') && count === 0)
      expression.problem('values', `must not be empty with operator ${operator}`);
    if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0)
      expression.problem('values', `must be empty with operator ${operator}`);
    if ((operator === 'Gt' || operator === 'Lt') && count !== 1)
      expression.problem('values', `must have exactly one element with operator ${operator}`);
  }
}

const defaultResources = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

function resources(parent: Fields): { name: string; weight: number }[] {
  if (parent.list('resources').length === 0) return defaultResources;
  const names = new Set<string>();
  return parent.children('resources').map((resource) => {
    resource.allow('name', 'weight');
    const name = resource.text('name', '');
    if (name === '') resource.problem('name', 'is required');
    if (names.has(name)) resource.problem('name', `"${name}" is listed twice`);
    names.add(name);
    // Zero stands for "not set".
    return { name, weight: resource.integer('weight', 0, 100, 1) || 1 };
  });
}

function nodeResourcesFit(args: Fields): object {
  args.allow(...header, 'ignoredResources', 'ignoredResourceGroups', 'scoringStrategy');
  const ignoredResourceGroups = args.strings('ignoredResourceGroups');
  for (const group of ignoredResourceGroups) {
    if (group.includes('/')) args.problem('ignoredResourceGroups', `"${group}" must be the part of a resource name before the slash`);
  }
  const strategy = args.child('scoringStrategy').allow('type', 'resources', 'requestedToCapacityRatio');
  const type = strategy.oneOf('type', ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'] as const, 'LeastAllocated');
  const ratio = strategy.child('requestedToCapacityRatio').allow('shape');
  if (type !== 'RequestedToCapacityRatio' && strategy.has('requestedToCapacityRatio')) {
    strategy.problem('requestedToCapacityRatio', 'is allowed with type RequestedToCapacityRatio only');
  }
  return {
    ignoredResources: args.strings('ignoredResources'),
    ignoredResourceGroups,
    scoringStrategy: {
      type,
      resources: resources(strategy),
      requestedToCapacityRatio: type === 'RequestedToCapacityRatio' ? { shape: shape(ratio) } : undefined,
    },
  };
}

function shape(ratio: Fields): { utilization: number; score: number }[] {
  const points = ratio.children('shape').map((point) => {
    point.allow('utilization', 'score');
    return { utilization: point.integer('utilization', 0, 100, 0), score: point.integer('score', 0, 10, 0) };
  });
  if (points.length === 0) ratio.problem('shape', 'must have at least one point');
  for (const [i, point] of points.entries()) {
    const before = points[i - 1];
    if (before !== undefined && point.utilization <= before.utilization)
      ratio.problem(`shape[${i}].utilization`, 'must be greater than that of the point before');
  }
  return points;
}

function balancedAllocation(args: Fields): object {
  args.allow(...header, 'resources');
  return { resources: resources(args) };
}

function podTopologySpread(args: Fields): object {
  args.allow(...header, 'defaultConstraints', 'defaultingType');
  const defaultingType = args.oneOf('defaultingType', ['System', 'List'] as const, 'System');
  const pairs = new Set<string>();
  const defaultConstraints = args.children('defaultConstraints').map((constraint) => {
    constraint.allow(
      'maxSkew',
      'topologyKey',
      'whenUnsatisfiable',
      'minDomains',
      'nodeAffinityPolicy',
      'nodeTaintsPolicy',
      'labelSelector',
    );
    if (constraint.has('labelSelector')) constraint.problem('labelSelector', 'must not be set: it follows from what the pod belongs to');
    const topologyKey = constraint.text('topologyKey', '');
    if (topologyKey === '') constraint.problem('topologyKey', 'is required');
    if (!constraint.has('whenUnsatisfiable')) constraint.problem('whenUnsatisfiable', 'is required: DoNotSchedule or ScheduleAnyway');
    const whenUnsatisfiable = constraint.oneOf('whenUnsatisfiable', ['DoNotSchedule', 'ScheduleAnyway'] as const, 'ScheduleAnyway');
    const pair = `${topologyKey} ${whenUnsatisfiable}`;
    if (pairs.has(pair)) constraint.problem('', `topologyKey and whenUnsatisfiable are those of another constraint (${pair})`);
    pairs.add(pair);
    return {
      maxSkew: constraint.integer('maxSkew', 1, maxInt, 1),
      topologyKey,
      whenUnsatisfiable,
      minDomains: constraint.integer('minDomains', 1, maxInt),
      nodeAffinityPolicy: constraint.oneOf('nodeAffinityPolicy', ['Honor', 'Ignore'] as const, 'Honor'),
      nodeTaintsPolicy: constraint.oneOf('nodeTaintsPolicy', ['Honor', 'Ignore'] as const, 'Ignore'),
    };
  });
  if (defaultingType === 'System' && defaultConstraints.length > 0)
    args.problem('defaultConstraints', 'must be empty when defaultingType is System (the default); List uses them');
  return { defaultConstraints, defaultingType };
}

function volumeBinding(args: Fields): object {
  args.allow(...header, 'bindTimeoutSeconds', 'shape');
  return { bindTimeoutSeconds: args.integer('bindTimeoutSeconds', 0, maxInt, 600) };
}

function dynamicResources(args: Fields): object {
  args.allow(...header, 'filterTimeout');
  return {};
}
