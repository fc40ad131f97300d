import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { behaviourOf, parseTermResponse } from './container-annotations';
import type { ContainerRole } from './container-behaviour';
import { annotatedDuration } from './durations';

const defaults = { startupMs: 300, onTerm: 'exit' } as const;

function behaviour(annotations: Record<string, string>, role: ContainerRole = 'main') {
  const pod = { metadata: { name: 'p', uid: 'u', creationTimestamp: '', annotations } } as KubeObject;
  return behaviourOf(pod, { name: 'app' }, role, defaults);
}

describe('what annotations say about a container', () => {
  it('is nothing special by default: it runs until it is told to end', () => {
    expect(behaviour({})).toMatchObject({
      startupMs: 300,
      runs: [{ runForMs: undefined, exitCode: 0 }],
      onTerm: { afterMs: 100, exitCode: 0 },
      health: {},
    });
  });

  it.each<[annotations: Record<string, string>, expected: object]>([
    [{ startup: '2s' }, { startupMs: 2_000 }],
    [{ 'run-for': '20s' }, { runs: [{ runForMs: 20_000, exitCode: 0 }] }],
    [{ 'run-for': '20s', 'exit-code': '1' }, { runs: [{ runForMs: 20_000, exitCode: 1 }] }],
    [{ 'exit-code': '3' }, { runs: [{ runForMs: 1_000, exitCode: 3 }] }],
    [{ 'exit-code': '256' }, { runs: [{ runForMs: undefined, exitCode: 0 }] }],
    [{ ready: 'never' }, { health: { readiness: { steps: [{ ok: false }] } } }],
    [{ ready: 'false' }, { health: { readiness: { steps: [{ ok: false }] } } }],
    [{ ready: 'true' }, { health: {} }],
    [{ 'on-term': 'ignore' }, { onTerm: { afterMs: undefined, exitCode: 0 } }],
    [{ 'on-term': 'ignore', 'app.on-term': 'takes 5s' }, { onTerm: { afterMs: 5_000, exitCode: 0 } }],
    [{ 'run-for': '20s', 'other.run-for': '5s', 'app.run-for': '1m30s' }, { runs: [{ runForMs: 90_000 }] }],
  ])('%o', (annotations, expected) => {
    const full = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`kubereel.dev/${key}`, value]));
    expect(behaviour(full)).toMatchObject(expected);
  });

  it('of the pod as a whole speaks of the runs of its main containers only', () => {
    const annotations = {
      'kubereel.dev/run-for': '20s',
      'kubereel.dev/exit-code': '1',
      'kubereel.dev/ready': 'never',
      'kubereel.dev/startup': '1s',
    };
    expect(behaviour(annotations, 'init')).toMatchObject({ runs: [{ runForMs: 100, exitCode: 0 }], startupMs: 1_000 });
    expect(behaviour(annotations, 'sidecar')).toMatchObject({ runs: [{ runForMs: undefined }], health: {}, startupMs: 1_000 });
    expect(behaviour({ 'kubereel.dev/app.run-for': '5s' }, 'init')).toMatchObject({ runs: [{ runForMs: 5_000 }] });
  });
});

it.each<[string | undefined, number | undefined]>([
  ['2s', 2_000],
  ['250ms', 250],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['20', 20_000],
  [' 3s ', 3_000],
  ['0', 0],
  ['-2s', undefined],
  ['2 s', undefined],
  ['soon', undefined],
  ['', undefined],
  ['9'.repeat(60), undefined],
  ['99999999999h', 315_360_000_000],
  [undefined, undefined],
])('the duration %j is %j ms', (text, ms) => {
  expect(annotatedDuration(text)).toBe(ms);
});

it.each<[string, object | undefined]>([
  ['exit', { afterMs: 100, exitCode: 0 }],
  ['exit 143', { afterMs: 100, exitCode: 143 }],
  ['takes 5s', { afterMs: 5_000, exitCode: 0 }],
  ['takes 1s exit 2', { afterMs: 1_000, exitCode: 2 }],
  ['ignore', { afterMs: undefined, exitCode: 0 }],
  ['takes', undefined],
  ['takes long', undefined],
  ['ignored', undefined],
])('on TERM: %s', (text, response) => {
  expect(parseTermResponse(text)).toEqual(response);
});
