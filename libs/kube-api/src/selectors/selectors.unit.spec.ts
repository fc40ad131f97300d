import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { goldenPresent, goldenQuery, goldenSteps } from '../status/golden-sessions.fixture';
import { parseFieldSelector, requiredValue } from './field-selector';
import { isSelectorError, labelSelectorString, parseLabelSelector } from './label-selector';
import { compileMapSelector, compileObjectSelector, formatObjectSelector, validateObjectSelector } from './object-selector';
import { releaseKinds } from '../kinds';

const kindOf = (name: string) => releaseKinds.kindOf(name);

function labels(text: string) {
  const parsed = parseLabelSelector(text);
  if (isSelectorError(parsed)) throw new Error(parsed.error);
  return parsed;
}

describe('label selectors', () => {
  it('match by every operator', () => {
    const object = { app: 'x', n: '5' };
    const cases: [string, boolean][] = [
      ['app=x', true],
      ['app==x', true],
      ['app!=x', false],
      ['other!=x', true],
      ['app in (x,y)', true],
      ['app in (y)', false],
      ['app notin (x)', false],
      ['other notin (x)', true],
      ['app', true],
      ['!app', false],
      ['!other', true],
      ['n>4', true],
      ['n>5', false],
      ['n<6', true],
      ['app>1', false],
      ['app=x,n=5', true],
      ['app=x,n=6', false],
      ['app in ()', false],
      ['in=in', false],
      ['', true],
      ['!constructor', true],
    ];
    for (const [text, matches] of cases) expect(labels(text).matches(object), text).toBe(matches);
    expect(labels('!a').matches(undefined)).toBe(true);
  });

  it('are written sorted by key and value', () => {
    expect(labelSelectorString(labels('tier, app in (y,x),!z,n>3, b == c'))).toBe('app in (x,y),b==c,n>3,tier,!z');
  });

  it('refuse what upstream refuses, with its words', () => {
    const cases: [string, string][] = [
      ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
      ['a in x', "unable to parse requirement: found 'x' expected: '('"],
      ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
      ['a in (x y)', "unable to parse requirement: found 'y', expected: ',' or ')'"],
      [
        'n>99999999999999999999',
        `unable to parse requirement: values[0]: Invalid value: "99999999999999999999": for 'Gt', 'Lt' operators, the value must be an integer`,
      ],
      [')', "found ')', expected: !, identifier, or 'end of string'"],
    ];
    for (const [text, error] of cases) expect(parseLabelSelector(text), text).toEqual({ error });
  });
});

describe('selectors of objects', () => {
  it('select by labels and expressions; absent selects nothing, empty everything', () => {
    const selector = { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'n', operator: 'In', values: ['1', '2'] }] };
    expect(compileObjectSelector(selector).matches({ app: 'x', n: '2' })).toBe(true);
    expect(compileObjectSelector(selector).matches({ app: 'x', n: '3' })).toBe(false);
    expect(compileObjectSelector(undefined).matches({})).toBe(false);
    expect(compileObjectSelector({}).matches({})).toBe(true);
    expect(compileObjectSelector({ matchExpressions: [{ key: 'a', operator: 'toString' }] }).matches({})).toBe(false);
    expect(compileMapSelector({}).matches({})).toBe(false);
    expect(compileMapSelector({ a: 'b' }).matches({ a: 'b' })).toBe(true);
    expect(formatObjectSelector(selector)).toBe('app=x,n in (1,2)');
    expect(formatObjectSelector({})).toBe('<none>');
    expect(formatObjectSelector({ matchExpressions: [{ key: 'a', operator: 'Odd' }] })).toBe('<error>');
  });

  it('are validated field by field', () => {
    const errors = validateObjectSelector(
      { matchLabels: { a: 'b c' }, matchExpressions: [{ key: 'bad key', operator: 'In', values: [] }] },
      {},
      'spec.selector',
    );
    expect(errors.map(({ field, type }) => `${field} ${type}`)).toEqual([
      'spec.selector.matchLabels FieldValueInvalid',
      'spec.selector.matchExpressions[0].values FieldValueRequired',
      'spec.selector.matchExpressions[0].key FieldValueInvalid',
    ]);
  });
});

describe('field selectors', () => {
  const pod: KubeObject = {
    metadata: { name: 'p', namespace: 'n', uid: 'u', creationTimestamp: '' },
    spec: { nodeName: 'n1', hostNetwork: true },
    status: { phase: 'Running', podIPs: [{ ip: '10.1.0.2' }] },
  };
  const matches = (resource: string, text: string, object = pod) => {
    const parsed = parseFieldSelector(kindOf(resource), text);
    if (isSelectorError(parsed)) throw new Error(parsed.error);
    return parsed.matches(object);
  };

  it('read the fields of the kind', () => {
    expect(matches('pods', 'spec.nodeName=n1,status.phase!=Failed')).toBe(true);
    expect(matches('pods', 'spec.nodeName!=')).toBe(true);
    expect(matches('pods', 'spec.hostNetwork==true')).toBe(true);
    expect(matches('pods', 'status.podIP=10.1.0.2')).toBe(true);
    expect(matches('pods', 'status.podIPs=10.1.0.2')).toBe(false);
    expect(matches('pods', '=')).toBe(true);
    expect(matches('nodes', 'spec.unschedulable=false')).toBe(true);
  });

  it('read an event under both of its APIs', () => {
    const event: KubeObject = {
      metadata: { name: 'e', namespace: 'n', uid: 'u', creationTimestamp: '' },
      involvedObject: { kind: 'Pod', name: 'p' },
      source: { component: 'kubelet' },
      type: 'Normal',
    };
    expect(matches('events', 'involvedObject.name=p,source=kubelet,type=Normal', event)).toBe(true);
    expect(matches('events.events.k8s.io', 'regarding.name=p', event)).toBe(true);
  });

  it('name the object they demand, and unescape values', () => {
    const parsed = parseFieldSelector(kindOf('pods'), 'metadata.name=a\\,b,metadata.namespace!=x');
    if (isSelectorError(parsed)) throw new Error(parsed.error);
    expect(requiredValue(parsed, 'metadata.name')).toBe('a,b');
    expect(requiredValue(parsed, 'metadata.namespace')).toBeUndefined();
    expect(parseFieldSelector(kindOf('pods'), 'metadata.name=a\\b')).toEqual({
      error: 'invalid field selector: invalid escape sequence: \\b',
    });
  });
});

describe.skipIf(!goldenPresent)('recorded selectors', () => {
  const resources: Record<string, string> = { replicasets: 'replicasets.apps', deployments: 'deployments.apps', jobs: 'jobs.batch' };

  for (const step of goldenSteps('selectors').filter(({ request }) => request.method === 'GET')) {
    const { labelSelector = '', fieldSelector = '' } = goldenQuery(step);
    it(`step ${step.step}: ${labelSelector || fieldSelector}`, () => {
      const [, group] = /^\/apis\/([^/]+)\//.exec(step.request.path) ?? [];
      const plural = step.request.path.split('/').pop() as string;
      const resource = group === undefined || resources[plural] ? (resources[plural] ?? plural) : `${plural}.${group}`;
      const byLabel = parseLabelSelector(labelSelector);
      const byField = parseFieldSelector(kindOf(resource), fieldSelector);
      const error = isSelectorError(byLabel) ? byLabel.error : isSelectorError(byField) ? byField.error : undefined;
      expect(error).toBe(step.response.status === 400 ? step.response.body.message : undefined);
    });
  }
});
