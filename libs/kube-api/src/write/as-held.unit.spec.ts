import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { decodeObject } from '../decode';
import { releaseKinds } from '../kinds';
import { prepareWrite } from './prepare-write';
import type { Prepared, StateView } from './request';

const deployments = releaseKinds.kindOf('deployments.apps');
const template = (labels: unknown) => ({ metadata: { labels }, spec: { containers: [{ name: 'c', image: 'a:1' }] } });
const body = (labels: unknown): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', annotations: {} },
    spec: { selector: { matchLabels: { a: 'b' } }, template: template(labels) },
  });
const read = (labels: unknown) => {
  const decoded = decodeObject(deployments, body(labels));
  if (!decoded.ok) throw new Error(decoded.status.message);
  return decoded;
};

const namespace = { metadata: { name: 'n' }, status: { phase: 'Active' } } as unknown as KubeObject;
const state: StateView = {
  cluster: 'local',
  position: 5,
  get: (resource) => (resource === 'namespaces' ? namespace : undefined),
  byKey: () => undefined,
  list: () => [],
  head: () => undefined,
};
const created = ({ object, exact }: { object: KubeObject; exact?: KubeObject }): Prepared =>
  prepareWrite(state, { verb: 'create', resource: 'deployments.apps', namespace: 'n', object, exact }, { now: 0, id: 'i' });
const textOf = (prepared: Prepared): string => (prepared.kind === 'refused' ? (prepared.status.message ?? '') : prepared.kind);

describe('what is sent with an empty map or list', () => {
  it('is refused with texts that show it so', () => {
    const text = '`selector` does not match template `labels`';
    expect(textOf(created(read({})))).toContain(`spec.template.metadata.labels: Invalid value: {}: ${text}`);
    expect(textOf(created(read(null)))).toContain(`spec.template.metadata.labels: Invalid value: null: ${text}`);
    expect(textOf(created(read({ x: 'y' })))).toContain(`spec.template.metadata.labels: Invalid value: {"x":"y"}: ${text}`);
  });

  it('is stored without it', () => {
    const decoded = read({ a: 'b' });
    expect(decoded.exact?.metadata.annotations).toEqual({});
    const prepared = created(decoded);
    expect(prepared.kind === 'append' && prepared.object.metadata).not.toHaveProperty('annotations');
  });

  it('is held as Go holds it only where that says more', () => {
    const plain = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } });
    const decoded = decodeObject(releaseKinds.kindOf('configmaps'), plain);
    expect(decoded).not.toHaveProperty('exact');
  });
});

it('a time that is moved by less than a second is moved', () => {
  const jobs = releaseKinds.kindOf('jobs.batch');
  const sent = (startTime: string) => {
    const text = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template: template({}) }, status: { startTime } };
    const decoded = decodeObject(jobs, JSON.stringify(text));
    return decoded.ok ? [decoded.object.status.startTime, decoded.exact?.status.startTime] : [];
  };
  expect(sent('2026-01-01T00:00:00.25Z')).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.25Z']);
});
