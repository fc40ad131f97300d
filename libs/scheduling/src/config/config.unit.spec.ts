import { describe, expect, it } from 'vitest';
import type { FieldProblem } from './errors';
import { ConfigurationError } from './errors';
import { parseConfiguration } from './parse';
import { createProfiles } from './profiles';

const v1 = (fields: object): object => ({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', ...fields });
const withArgs = (name: string, args: object): object => v1({ profiles: [{ pluginConfig: [{ name, args }] }] });

function problems(config: unknown): readonly FieldProblem[] {
  try {
    createProfiles(config);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

function pluginsOf(config: object | undefined, point: 'filter' | 'score' | 'postFilter' | 'preEnqueue'): string[] {
  const plugins = createProfiles(config).get('default-scheduler')?.plugins;
  return point === 'score'
    ? (plugins?.score ?? []).map(({ plugin, weight }) => `${plugin.name}:${weight}`)
    : (plugins?.[point] ?? []).map((plugin) => plugin.name);
}

describe('the defaults', () => {
  it('are those of the release', () => {
    expect(parseConfiguration().configuration).toMatchObject({
      percentageOfNodesToScore: 0,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 10,
      parallelism: 16,
      profiles: [{ schedulerName: 'default-scheduler' }],
    });
    expect(pluginsOf(undefined, 'score')).toEqual([
      'TaintToleration:3',
      'NodeAffinity:2',
      'NodeResourcesFit:1',
      'PodTopologySpread:2',
      'InterPodAffinity:2',
      'NodeResourcesBalancedAllocation:1',
      'ImageLocality:1',
    ]);
    expect(pluginsOf(undefined, 'postFilter')).toEqual(['DynamicResources', 'DefaultPreemption']);
  });
});

describe('plugins of a profile', () => {
  const profile = (plugins: object): object => v1({ profiles: [{ plugins }] });

  it('may be disabled at a point, everywhere, or all at once', () => {
    expect(pluginsOf(profile({ filter: { disabled: [{ name: 'NodePorts' }] } }), 'filter')).not.toContain('NodePorts');
    expect(pluginsOf(profile({ multiPoint: { disabled: [{ name: 'DefaultPreemption' }] } }), 'preEnqueue')).not.toContain(
      'DefaultPreemption',
    );
    expect(pluginsOf(profile({ filter: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeName' }] } }), 'filter')).toEqual(['NodeName']);
  });

  it('keep their place when listed again for all points, and come first when listed again for one', () => {
    const again = { enabled: [{ name: 'ImageLocality', weight: 7 }] };
    expect(pluginsOf(profile({ multiPoint: again }), 'score').at(-1)).toBe('ImageLocality:7');
    expect(pluginsOf(profile({ score: again }), 'score')[0]).toBe('ImageLocality:7');
    expect(pluginsOf(profile({ score: { ...again, disabled: [{ name: 'ImageLocality' }] } }), 'score').at(-1)).toBe('ImageLocality:7');
  });

  it('must sort the queue exactly once and be able to bind', () => {
    expect(problems(profile({ queueSort: { disabled: [{ name: '*' }] } }))).toMatchObject([{ field: 'profiles[0].plugins.queueSort' }]);
    expect(problems(profile({ bind: { disabled: [{ name: '*' }] } }))).toMatchObject([{ field: 'profiles[0].plugins.bind' }]);
  });

  it('of several profiles are separate; each names its scheduler', () => {
    const { bySchedulerName } = createProfiles(
      v1({ profiles: [{ schedulerName: 'a' }, { schedulerName: 'b', plugins: { score: { disabled: [{ name: '*' }] } } }] }),
    );
    expect([...bySchedulerName].map(([name, { plugins }]) => [name, plugins.score.length])).toEqual([
      ['a', 7],
      ['b', 0],
    ]);
    expect(problems(v1({ profiles: [{ schedulerName: 'a' }, {}] }))).toMatchObject([{ field: 'profiles[1].schedulerName' }]);
    expect(problems(v1({ profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] }))).toMatchObject([
      { field: 'profiles[1].schedulerName' },
    ]);
  });
});

describe('a bad file', () => {
  it.each([
    ['no object', 'text', '', 'must be an object'],
    ['another kind', { kind: 'Pod' }, 'kind', 'must be KubeSchedulerConfiguration'],
    ['an unknown version', { apiVersion: 'kubescheduler.config.k8s.io/v9' }, 'apiVersion', 'must be kubescheduler.config.k8s.io/v1'],
    ['an unknown field', v1({ profile: [] }), 'profile', 'unknown field; known here are apiVersion'],
    ['a percentage', v1({ percentageOfNodesToScore: 101 }), 'percentageOfNodesToScore', 'valid range [0-100], not 101'],
    ['a wrong type', v1({ parallelism: '16' }), 'parallelism', 'must be a whole number of at least 1, not a string'],
    ['a list', v1({ profiles: {} }), 'profiles', 'must be a list, not an object'],
    [
      'back-off',
      v1({ podInitialBackoffSeconds: 5, podMaxBackoffSeconds: 2 }),
      'podMaxBackoffSeconds',
      'must be at least podInitialBackoffSeconds (5)',
    ],
    [
      'a weight',
      v1({ profiles: [{ plugins: { score: { enabled: [{ name: 'ImageLocality', weight: -1 }] } } }] }),
      'profiles[0].plugins.score.enabled[0].weight',
      'at least 0',
    ],
    [
      'arguments given twice',
      v1({ profiles: [{ pluginConfig: [{ name: 'X' }, { name: 'X' }] }] }),
      'profiles[0].pluginConfig[1].name',
      'has arguments already',
    ],
    [
      'affinity weight',
      withArgs('InterPodAffinity', { hardPodAffinityWeight: 101 }),
      'profiles[0].pluginConfig[0].args.hardPodAffinityWeight',
      '[0-100]',
    ],
    [
      'candidates',
      withArgs('DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }),
      'profiles[0].pluginConfig[0].args',
      'cannot both be 0',
    ],
    [
      'a strategy',
      withArgs('NodeResourcesFit', { scoringStrategy: { type: 'Best' } }),
      'profiles[0].pluginConfig[0].args.scoringStrategy.type',
      'must be one of LeastAllocated',
    ],
    [
      'a shape',
      withArgs('NodeResourcesFit', { scoringStrategy: { type: 'RequestedToCapacityRatio' } }),
      'profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape',
      'at least one point',
    ],
    [
      'spread defaults',
      withArgs('PodTopologySpread', { defaultConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'ScheduleAnyway' }] }),
      'profiles[0].pluginConfig[0].args.defaultConstraints',
      'must be empty when defaultingType is System',
    ],
    [
      'added affinity',
      withArgs('NodeAffinity', { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } }),
      'profiles[0].pluginConfig[0].args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
      'at least one term',
    ],
    [
      'an extender without weight',
      v1({ extenders: [{ urlPrefix: 'http://x', prioritizeVerb: 'p' }] }),
      'extenders[0].weight',
      'greater than 0',
    ],
    [
      'two binding extenders',
      v1({
        extenders: [
          { urlPrefix: 'http://x', bindVerb: 'b' },
          { urlPrefix: 'http://y', bindVerb: 'b' },
        ],
      }),
      'extenders',
      'at most one extender may bind',
    ],
    ['a duration', v1({ extenders: [{ urlPrefix: 'http://x', httpTimeout: 'soon' }] }), 'extenders[0].httpTimeout', 'must be a duration'],
    [
      'a prototype key',
      JSON.parse('{"__proto__": {"parallelism": 3}, "kind": "KubeSchedulerConfiguration"}'),
      '__proto__',
      'unknown field',
    ],
  ])('is told what is wrong: %s', (_what, config, field, message) => {
    const found = problems(config);
    expect(found.map((problem) => problem.field)).toContain(field);
    expect(found.map((problem) => problem.message).join('\n')).toContain(message);
  });

  it('is told all that is wrong at once', () => {
    expect(problems(v1({ parallelism: 0, percentageOfNodesToScore: -1, profiles: [{ schedulerName: 3 }] })).length).toBeGreaterThanOrEqual(
      3,
    );
  });
});

describe('extenders', () => {
  it('are read with their defaults', () => {
    const { configuration } = parseConfiguration(
      v1({ extenders: [{ urlPrefix: 'http://x/', filterVerb: 'filter', httpTimeout: '1m30s500ms' }] }),
    );
    expect(configuration.extenders).toMatchObject([
      { urlPrefix: 'http://x', filterVerb: 'filter', weight: 0, httpTimeoutMs: 90_500, ignorable: false },
    ]);
  });
});

describe('older versions', () => {
  const old = (version: string, fields: object): object => ({
    apiVersion: `kubescheduler.config.k8s.io/${version}`,
    kind: 'KubeSchedulerConfiguration',
    ...fields,
  });

  it('honour disablePreemption, with a warning that shows the v1 form', () => {
    const config = old('v1alpha1', {
      algorithmSource: { provider: 'DefaultProvider' },
      disablePreemption: true,
      leaderElection: { leaderElect: false, lockObjectName: 'l' },
    });
    expect(pluginsOf(config, 'postFilter')).toEqual(['DynamicResources']);
    const { warnings, configuration } = createProfiles(config);
    expect(warnings.at(-1)).toContain('kubescheduler.config.k8s.io/v1alpha1 is read as kubescheduler.config.k8s.io/v1');
    const form = JSON.parse((warnings.at(-1) ?? '').split('\n').slice(1).join('\n')) as object;
    expect(form).toMatchObject({ apiVersion: 'kubescheduler.config.k8s.io/v1', leaderElection: { resourceName: 'l' } });
    expect(createProfiles(form).configuration).toEqual(configuration);
    expect(configuration.leaderElect).toBe(false);
  });

  it('keep the weights they meant', () => {
    expect(pluginsOf(old('v1beta1', { profiles: [{ schedulerName: 'default-scheduler' }] }), 'score').slice(0, 2)).toEqual([
      'TaintToleration:1',
      'NodeAffinity:1',
    ]);
    expect(pluginsOf(old('v1beta3', {}), 'score').slice(0, 2)).toEqual(['TaintToleration:3', 'NodeAffinity:2']);
    const disabled = old('v1beta2', { profiles: [{ plugins: { multiPoint: { disabled: [{ name: 'NodeAffinity' }] } } }] });
    expect(pluginsOf(disabled, 'score').join()).not.toContain('NodeAffinity');
  });

  it('name plugins that are gone and what does their work', () => {
    const plugins = { score: { disabled: [{ name: 'NodeResourcesLeastAllocated' }], enabled: [{ name: 'NodeResourcesMostAllocated' }] } };
    const { warnings, configuration } = createProfiles(old('v1beta1', { profiles: [{ plugins }] }));
    expect(warnings.join('\n')).toContain('NodeResourcesMostAllocated is gone; today: NodeResourcesFit with scoringStrategy MostAllocated');
    expect(configuration.profiles[0]?.pluginConfig.get('NodeResourcesFit')).toMatchObject({ scoringStrategy: { type: 'MostAllocated' } });
  });

  it('put what stood at the top into the profile', () => {
    const { configuration } = createProfiles(
      old('v1alpha1', { schedulerName: 'mine', hardPodAffinitySymmetricWeight: 7, plugins: { postFilter: { enabled: [] } } }),
    );
    expect(configuration.profiles[0]).toMatchObject({ schedulerName: 'mine' });
    expect(configuration.profiles[0]?.pluginConfig.get('InterPodAffinity')).toMatchObject({ hardPodAffinityWeight: 7 });
  });
});
