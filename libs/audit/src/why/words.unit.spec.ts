import { describe, expect, it } from 'vitest';
import { changeWords } from './change-words';
import { agentWords, amountWords, listWords, throughWords } from './words';

describe('words of a story', () => {
  it.each([
    ['cpu', 500, '0.5'],
    ['cpu', 2000, '2'],
    ['memory', 8 * 2 ** 30, '8Gi'],
    ['memory', 1.5 * 2 ** 20, '1.5Mi'],
    ['example.com/gpu', 3, '3'],
  ])('an amount of %s: %d is %s', (resource, amount, text) => {
    expect(amountWords(resource, amount)).toBe(text);
  });

  it.each([
    ['kubectl/v1.33.4 (linux/amd64) kubernetes/74cdb42; kubectl drain', 'kubectl drain'],
    ['kubectl/v1.33.4 (linux/amd64) kubernetes/74cdb42', 'kubectl'],
    ['Helm/3.14', 'Helm'],
    ['', undefined],
    [undefined, undefined],
  ])('a client that calls itself %s is %s', (agent, text) => {
    expect(agentWords(agent)).toBe(text);
  });

  it('a list stops after as many names as are wanted', () => {
    expect([listWords(['a'], 2), listWords(['a', 'b'], 2), listWords(['a', 'b', 'c', 'd'], 2)]).toEqual([
      'a',
      'a and b',
      'a, b and 2 more',
    ]);
  });
});

describe('words of a change', () => {
  const object = (spec: object, metadata: object = {}, rest: object = {}) =>
    ({ metadata: { name: 'x', uid: 'u', creationTimestamp: '', ...metadata }, spec, ...rest }) as never;

  function restarted(at: string | undefined): object {
    return { template: { metadata: at === undefined ? {} : { annotations: { 'kubectl.kubernetes.io/restartedAt': at } }, spec: {} } };
  }

  it.each([
    [{ unschedulable: true }, {}, 'uncordoned'],
    [{}, { unschedulable: true }, 'cordoned'],
    [{ replicas: 3 }, { replicas: 1 }, 'scaled from 3 to 1'],
    [
      { template: { spec: { containers: [{ name: 'app', image: 'shop:1' }] } } },
      { template: { spec: { containers: [{ name: 'app', image: 'shop:2' }] } } },
      'image of app: shop:1 → shop:2',
    ],
    [{ taints: [] }, { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] }, 'taint a=b:NoSchedule added'],
    [{ paused: true }, {}, 'spec.paused removed (was true)'],
    [restarted(undefined), restarted('12:00'), 'restarted: its pods are made anew, one after the other'],
    [restarted('12:00'), restarted('13:00'), 'restarted: its pods are made anew, one after the other'],
  ])('%j to %j: %s', (before, after, text) => {
    expect(changeWords(object(before), object(after))).toBe(text);
  });

  it('says nothing of what the API server and clients keep for themselves', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    expect(changeWords(object({}, { generation: 1 }), object({}, { generation: 2, annotations }))).toBeUndefined();
  });

  it('tells no value of a Secret', () => {
    const told = changeWords(
      object({}, {}, { data: { password: 'b2xk' } }),
      object({}, {}, { data: { password: 'bmV3', more: 'eA==' } }),
      true,
    );
    expect(changeWords(object({}), object({}, {}, { data: { password: 'b2xk' } }), true)).toBe(
      'data.password added, its value is not shown',
    );
    expect(told).toBe('data.password changed, its value is not shown; data.more added, its value is not shown');
  });
});

describe('through whom and what', () => {
  it.each([
    [undefined, undefined, undefined],
    [undefined, 'kubectl drain', 'kubectl drain'],
    ['admin', undefined, 'by admin'],
    ['admin', 'kubectl drain', 'by admin, kubectl drain'],
  ])('%s with %s: %s', (impersonator, agent, words) => {
    expect(throughWords(impersonator, agent)).toBe(words);
  });
});
