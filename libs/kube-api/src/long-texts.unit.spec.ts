import { describe, expect, it } from 'vitest';
import {
  canonicalQuantity,
  parseQuantity,
  quantityCharactersMax,
  quantityMilli,
  quantityValue,
  type Json,
  type KubeObject,
} from '#libs/kernel';
import { decodeObject, parseJson, parseYaml } from './decode';
import * as scalars from './decode/scalars';
import { defaultPullPolicy } from './kinds/core/pods/image-tag';
import { releaseKinds } from './kinds';
import { applyPatch, readPatch } from './patch';
import { parseFieldSelector, parseLabelSelector } from './selectors';
import { goQuote } from './status';
import { validateCreate, validateUpdate } from './validation';
import * as addresses from './validation/addresses';
import * as formats from './validation/formats';
import { jsonDiff } from './validation/text-diff';

const kindOf = (name: string) => releaseKinds.kindOf(name);

/*
 * What a client may send is read in time proportional to its length. A quadratic step over these texts takes minutes, so the runner's
 * limit for one test tells the two apart without measuring anything.
 */
const timeout = 20_000;
/** Characters. */
const length = 300_000;

const parts = [
  '1',
  'a',
  'A',
  '-',
  '.',
  'a.',
  'a-',
  '1.',
  'a/',
  '_',
  ':',
  '0:',
  ',',
  'a=b,',
  'a in (',
  '(',
  '!',
  "['",
  '\\',
  '%',
  ' ',
  '=',
  '{',
  '\0',
  'é',
  'e1',
];
const ends = ['', '!', 'x'];

type Reader = (text: string) => unknown;
const fieldSelector: Reader = (text) => parseFieldSelector(kindOf('pods'), text);
const functionsOf = (module: object): [string, Reader][] =>
  Object.entries(module).filter(
    (entry): entry is [string, Reader] => typeof entry[1] === 'function' && !String(entry[1]).startsWith('class'),
  );

const readers: [string, Reader][] = [
  ...functionsOf(formats),
  ...functionsOf(scalars),
  ...functionsOf(addresses),
  ...Object.entries<Reader>({
    fieldSelector,
    parseQuantity,
    canonicalQuantity,
    quantityValue,
    quantityMilli,
    defaultPullPolicy,
    parseLabelSelector,
    goQuote,
    parseJson,
  }),
];

describe('long texts', () => {
  it.each(readers)(
    '%s reads in one go',
    (_, read) => {
      let answers = 0;
      for (const part of parts) {
        for (const end of ends) {
          try {
            read(part.repeat(length / part.length) + end);
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
          answers++;
        }
      }
      expect(answers).toBe(parts.length * ends.length);
    },
    timeout,
  );

  it('a quantity has a bound of its own, refused in the words for what is no number', () => {
    const pod = (cpu: string): string => `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"${cpu}"}}}]}}`;
    const refused = decodeObject(kindOf('pods'), pod('1'.repeat(quantityCharactersMax + 1)));
    expect(refused.ok ? '' : refused.status.message).toContain('unable to parse numeric part of quantity');
    expect(decodeObject(kindOf('pods'), pod('1'.repeat(quantityCharactersMax))).ok).toBe(true);
  });
});

describe('YAML', () => {
  // Nested without brackets or indicators: the composer ran out of stack in a place where that ends the process.
  it.each(["': ", '": ', 'a: ', '!a ', '? ', '- '])('of %j again and again is refused', (part) => {
    expect(parseYaml(part.repeat(8_000 / part.length)).error).toMatch(/^error converting YAML to JSON: yaml: /);
  });

  it('may nest as deep as any object does', () => {
    const deep = Array.from({ length: 100 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    expect(parseYaml(`${deep} 1`).error).toBeUndefined();
    const deeper = Array.from({ length: 200 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    expect(parseYaml(`${deeper} 1`).error).toBe('error converting YAML to JSON: yaml: exceeded max depth');
  });

  it('that merges what is no map is refused', () => {
    expect(parseYaml('<<: a\nb: c\n').error).toBe(
      'error converting YAML to JSON: yaml: map merge requires map or sequence of maps as the value',
    );
  });

  it('reads the first document only, whatever follows', () => {
    expect(parseYaml(`a: 1\n${'---\n- b\n'.repeat(60_000)}`)).toEqual({ value: { a: 1 } });
  });

  it(
    'stops at the first of many errors',
    () => {
      expect(parseYaml('}: '.repeat(170_000)).error).toMatch(/line 1: unexpected flow-map-end/);
    },
    timeout,
  );
});

describe('long lists', () => {
  const count = 60_000;
  const many = <T>(make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
  const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
  const pod = (spec: object, metadata: object = {}): KubeObject =>
    ({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'p', namespace: 'default', ...metadata },
      spec: { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30, ...spec },
    }) as unknown as KubeObject;

  it(
    'of tolerations may be updated',
    () => {
      const tolerations = many((index) => ({ key: `a${index}`, operator: 'Exists' }));
      const old = pod({ tolerations: tolerations.slice(1) });
      expect(validateUpdate(kindOf('pods'), pod({ tolerations: [...tolerations].reverse() }), old)).toEqual([]);
      expect(validateUpdate(kindOf('pods'), old, pod({ tolerations }))[0]?.body).toContain('existing toleration can not be modified');
    },
    timeout,
  );

  it(
    'of spread constraints are checked for repetition',
    () => {
      const constraint = (key: string) => ({ maxSkew: 1, topologyKey: key, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} });
      expect(validateCreate(kindOf('pods'), pod({ topologySpreadConstraints: many((index) => constraint(`k${index}`)) }))).toEqual([]);
      const fields = validateCreate(kindOf('pods'), pod({ topologySpreadConstraints: ['a', 'b', 'a'].map(constraint) })).map(
        ({ field }) => field,
      );
      expect(fields).toEqual(['spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}']);
    },
    timeout,
  );

  it(
    'of owners that all control are named a few times',
    () => {
      const ownerReferences = many((index) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${index}`, uid: 'u', controller: true }));
      const found = validateCreate(kindOf('pods'), pod({}, { ownerReferences }));
      expect(found.length).toBe(10);
      expect(found[0]?.body).toContain('Only one reference can have Controller set to true');
    },
    timeout,
  );

  it(
    'of deletions in a strategic merge are applied together',
    () => {
      const named = pod({ containers: many((index) => ({ name: `c${index}`, image: 'i' })) });
      const patch = { spec: { containers: many((index) => ({ $patch: 'delete', name: `c${index + 1}` })) } };
      const patched = applyPatch(kindOf('pods'), 'strategic', named, patch as unknown as Json);
      expect(patched.ok && patched.object.spec.containers).toMatchObject([{ name: 'c0' }]);
    },
    timeout,
  );

  it(
    'may not be moved aside without end by a JSON patch',
    () => {
      const add = { op: 'add', path: '/metadata/finalizers/0', value: 'x' };
      const first = { op: 'add', path: '/metadata/finalizers', value: many(String) };
      const few = readPatch('json', JSON.stringify([first, ...Array(1_000).fill(add)]));
      expect(few.ok && applyPatch(kindOf('pods'), 'json', pod({}), few.patch).ok).toBe(true);
      const body = readPatch('json', JSON.stringify([first, ...Array(9_000).fill(add)]));
      const refused = body.ok && applyPatch(kindOf('pods'), 'json', pod({}), body.patch);
      expect(refused && !refused.ok && refused.status.code).toBe(422);
    },
    timeout,
  );

  it(
    'are compared line by line, however many hunks there are',
    () => {
      const before = many((index) => index);
      const after = before.map((index) => (index % 100 === 0 && index < 40_000 ? -index : index));
      expect(jsonDiff(before, after)).toMatch(/^@@ -/);
    },
    timeout,
  );
});
