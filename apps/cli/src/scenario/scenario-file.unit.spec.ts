import { describe, expect, it } from 'vitest';
import type { CliError } from '../cli-error';
import { parseScenario, readScenario } from './scenario-file';

const parse = (text: string) => parseScenario(text, 'story.yaml');
const problem = (text: string): string => {
  try {
    parse(text);
  } catch (error) {
    return `${(error as CliError).message} | ${(error as CliError).remedy ?? ''}`;
  }
  throw new Error('no problem');
};

describe('a scenario file', () => {
  it('has a name, words, nodes, and steps of one action each', () => {
    const scenario = parse(`
name: A story
tells: Something happens.
nodes: {count: 2, cpu: 500m, zones: 1}
x-spec: &spec {containers: [{name: app, image: a:1}]}
steps:
  - say: First words.
    apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: *spec}
  - delete: pod/a
    gracePeriodSeconds: 0
  - scale: deploy/web
    replicas: 3
  - drain: node-1
    timeout: 1m
    podSelector: app=web,tier=front
    background: true
    refused: true
  - finish: drain node-1
    within: 90s
  - evict: pod/a
    refused: 429
  - wait: 1.5s
  - say: Only words.
  - show: nodes
  - expect: {pod/a: {node: none}}
`);
    expect(scenario).toMatchObject({
      name: 'A story',
      tells: 'Something happens.',
      nodes: { count: 2, cpu: '500m', memory: '8Gi', pods: 110, zones: 1 },
    });
    expect(scenario.steps).toEqual([
      {
        say: 'First words.',
        apply: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'app', image: 'a:1' }] } }],
      },
      { delete: 'pod/a', gracePeriodSeconds: 0 },
      { scale: 'deploy/web', replicas: 3 },
      { drain: 'node-1', timeoutMs: 60_000, podSelector: { app: 'web', tier: 'front' }, background: true, refused: 0 },
      { finish: 'node-1', withinMs: 90_000 },
      { evict: 'pod/a', refused: 429 },
      { wait: 1_500 },
      { say: 'Only words.', tell: true },
      { show: 'nodes' },
      { expect: { 'pod/a': { node: 'none' } } },
    ]);
  });

  it('that is wrong is refused with the line', () => {
    expect(problem('name: x\nsteps:\n  - wait: 1s\n  - expct: {}')).toMatch(/^story\.yaml:4: steps\[1\]\.expct: is not known/);
    expect(problem('name: x\nsteps:\n  - say: go\n    wait: soon')).toMatch(/^story\.yaml:4: steps\[0\]\.wait: /);
    expect(problem('steps: [{wait: 1s}]\nnodes:\n  count: 2\n  gpu: 1')).toMatch(/^story\.yaml:4: nodes\.gpu: is not known/);
    expect(problem('steps:\n  - wait: 1s\n  - {}')).toMatch(/^story\.yaml:3: steps\[1\]: has no action/);
  });

  it('that applies what is no manifest, such as the name of a file, is refused', () => {
    expect(problem('steps: [{apply: pod.yaml}]')).toMatch(/steps\[0\]\.apply: is no manifest \| .*files are not read/);
  });

  it('that is wrong is refused with the place and what would be right', () => {
    expect(problem('steps: [')).toMatch(/^story\.yaml:1: /);
    expect(problem('name: x')).toMatch(/steps: missing/);
    expect(problem('steps: [{wait: 1s}]\ntell: x')).toMatch(/tell: is not known \| A scenario has name, tells, nodes, scheduler, steps/);
    expect(problem('steps: [{wait: 1s, scale: deploy/a}]')).toMatch(/steps\[0\]: has 2 actions: scale, wait/);
    expect(problem('steps: [{}]')).toMatch(/steps\[0\]: has no action \| Actions: apply, /);
    expect(problem('steps: [{wait: 1s, replicas: 2}]')).toMatch(/steps\[0\]\.replicas: is not known/);
    expect(problem('steps: [{wait: soon}]')).toMatch(/steps\[0\]\.wait: "soon" is no duration/);
    expect(problem('steps: [{patch: pod/a}]')).toMatch(/steps\[0\]\.with: is missing/);
    expect(problem('steps: [{wait: 1s}]\nnodes: {count: 0}')).toMatch(/nodes\.count: 0 is no number/);
    expect(problem('steps: [{wait: 1s}]\nnodes: {cpu: much}')).toMatch(/nodes\.cpu: "much" is no quantity/);
    expect(problem('steps: [{wait: 1s}]\nnodes: {gpu: 1}')).toMatch(/nodes\.gpu: is not known/);
    expect(problem('steps: [{wait: 1s}]\nscheduler: {parallelism: 0}')).toMatch(
      /story\.yaml: scheduler: parallelism: must be a whole number/,
    );
  });

  it('that is not there is named', () => {
    expect(() => readScenario('/nowhere/story.yaml')).toThrow('/nowhere/story.yaml: no such file');
  });
});
