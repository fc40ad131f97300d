import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchOf } from '#libs/kernel';
import { releaseKinds } from '#libs/kube-api';
import { ApiUnderTest, type Received } from '../../api-under-test.fixture';
import { goldenFolder } from '../golden-folder';
import differences from './known-differences.json';
import { inOurRange } from './left-open';
import { allOf, isServed } from './of-kinds';
import { prepareBase, setUp } from './prepare';
import { basesOf, casesOf, type Base } from './recording';

const known: readonly string[] = differences;

const folder = goldenFolder('validation');
/** One accepted creation in so many. */
const every = 5;
const json = { 'content-type': 'application/json' };

/**
 * Upstream's own exceptions. Label keys that were merged into a selector are refused beside it when they come again; the labels that a Job's
 * pods are given name its uid, and the next one has another.
 */
const doubled = /exists in both matchLabelKeys and labelSelector|labels\[controller-uid\]: Invalid value: .*: must be '/;
/** A dry run shows the range's own address for the one that a Service would be given, and nobody can have that. */
const noAddress = /failed to allocate IP 10\.0\.0\.0: /;

/**
 * The annotation of autoscaling/v1 that carries the status of metrics cannot leave out a raw value: where there was none, 0 comes back, and is
 * written, by upstream's conversion too.
 */
const comesBackWithZero = new Set(['hpa1/status']);

/** Created with empty bytes, which the store keeps and no answer shows: whoever writes back what he was answered, takes them away. */
const showsLess = new Set(['mwc']);

/** Of this kind only creations are recorded. */
const apiService: Base = {
  base: 'apiservice',
  kind: 'apiregistration.k8s.io/v1 APIService',
  path: '/apis/apiregistration.k8s.io/v1/apiservices',
  name: 'v1.example.com',
  create: {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.example.com' },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service: { namespace: 'a', name: 'b' } },
  },
  stored: { metadata: {} },
};

interface Made {
  metadata: { uid: string; creationTimestamp: string; managedFields?: unknown };
}

/**
 * Without what is drawn anew for each object that is created, the time of its creation wherever that stands, and the owners of its fields:
 * who sends an object back owns all of it.
 */
function withoutIdentity({ body }: Received): unknown {
  const { creationTimestamp } = (JSON.parse(body) as Made).metadata;
  const { metadata, ...rest } = JSON.parse(body.replaceAll(`"${creationTimestamp}"`, '"<now>"')) as Made;
  const { uid: _, managedFields: __, ...kept } = metadata;
  return { metadata: kept, ...rest };
}

/** Whoever writes back what he was answered changes nothing: completing an object that is complete leaves it as it is. */
describe.skipIf(!folder)('what the API server makes of an object', () => {
  let api: ApiUnderTest;
  const bases: Base[] = [];

  beforeAll(async () => {
    api = await ApiUnderTest.start();
    await setUp(api, folder as string);
    bases.push(...basesOf(join(folder as string, 'bases.jsonl')).filter(({ kind }) => isServed(kind)), apiService);
  });
  afterAll(() => api.close());

  const send = (method: string, path: string, body?: unknown, headers = json): Promise<Received> =>
    api.send({ method, path, headers, body: body === undefined ? undefined : JSON.stringify(body) });

  it('is what it makes of that again, when it is created', async () => {
    const accepted = casesOf(join(folder as string, 'create.jsonl')).filter(
      ({ case: name, kind, status }) => status === 201 && isServed(kind) && !known.includes(name),
    );
    const sample = accepted.filter((_, index) => index % every === 0);
    const changed = await allOf(sample, async ({ case: name, path, query, bodyText }) => {
      const url = `${path}?${query ?? ''}`;
      const once = await api.send({ method: 'POST', path: url, headers: json, body: inOurRange(bodyText) });
      if (once.status !== 201) return [`${name}: ${once.body}`];
      const twice = await api.send({ method: 'POST', path: url, headers: json, body: once.body });
      if (twice.status === 422 && (doubled.test(twice.body) || noAddress.test(twice.body))) return [];
      const [before, after] = [once, twice].map(withoutIdentity);
      if (JSON.stringify(before) === JSON.stringify(after)) return [];
      return [`${name}: ${twice.status} ${JSON.stringify(patchOf(before, after))}`];
    });
    expect(changed.flat()).toEqual([]);
    expect(sample.length).toBeGreaterThan(250);
  }, 60_000);

  it('is stored for every kind that is served', async () => {
    for (const base of bases) await prepareBase(api, base);
    const kinds = new Set(bases.map(({ kind }) => kind));
    const absent = releaseKinds.all
      .filter(({ served, verbs }) => served && verbs.includes('create') && verbs.includes('update'))
      .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
      .filter((kind) => !kinds.has(kind));
    expect(absent).toEqual([]);
  });

  it.each([
    ['put as it is', 'PUT', json],
    ['patched with nothing', 'PATCH', { 'content-type': 'application/merge-patch+json' }],
  ] as const)('is not written again when it is %s, at any of its subresources', async (_, method, headers) => {
    const whole = bases.filter(({ base }) => !showsLess.has(base));
    const changed = await allOf(whole, async ({ base, kind, path, name }) => {
      const url = `${path}/${name}`;
      const stored = await send('GET', url);
      const [apiVersion = '', kindName = ''] = kind.split(' ');
      const withStatus = releaseKinds.findKind(apiVersion, kindName)?.subresources.some((subresource) => subresource.name === 'status');
      const differing: string[] = [];
      for (const place of withStatus ? ['', '/status'] : ['']) {
        if (comesBackWithZero.has(base + place)) continue;
        const answer = await send(method, url + place, method === 'PUT' ? JSON.parse(stored.body) : {}, headers);
        if (answer.status !== 200 || answer.body !== stored.body) differing.push(`${base}${place}: ${answer.status} ${answer.body}`);
      }
      return differing;
    });
    expect(changed.flat()).toEqual([]);
  });
});
