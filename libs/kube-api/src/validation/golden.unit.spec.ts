import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import {
  admissionSteps,
  isRefusal,
  mutate,
  priorityClassLookup,
  refusedAs,
  resolvePodPriority,
  systemPriorityClasses,
  type Admission,
} from '../admission';
import { coreEventOf, decodeObject, eventsViewOf, wireFormOf } from '../decode';
import { applyDefaults } from '../defaults';
import { releaseKinds } from '../kinds';
import type { ResourceKind } from '../kinds';
import { applyPatch, patchFormatOf } from '../patch';
import type { PatchFormat } from '../patch';
import { isFailure } from '../status';
import type { Failure } from '../status';
import { goldenPresent, goldenQuery, goldenSteps } from '../status/golden-sessions.fixture';
import type { GoldenStep } from '../status/golden-sessions.fixture';
import { prepareForCreate, prepareForUpdate, withGeneratedName } from '../strategy';
import type { UpdatedSubresource } from '../strategy';
import { refuseInvalid, validateCreate, validateUpdate } from './validate';

const now = Date.parse('2026-01-01T00:00:00Z');

interface Target {
  kind: ResourceKind;
  namespace?: string;
  name?: string;
  subresource?: string;
}

function targetOf(path: string): Target | undefined {
  const match =
    /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/([^/]+)\/(?=[a-z]+(?:\/|$)))?([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(path);
  if (!match) return undefined;
  const [, group = '', version = '', namespace, resource = '', name, subresource] = match;
  const kind = releaseKinds.findResource(group, version, resource);
  return kind?.served ? { kind, namespace: kind.namespaced ? namespace : undefined, name, subresource } : undefined;
}

const lookup = {
  namespace: (name: string): KubeObject => ({ metadata: { name, uid: '', creationTimestamp: '' }, status: { phase: 'Active' } }),
  serviceAccount: (_: string, name: string) => (name === 'missing' ? undefined : lookup.namespace(name)),
  suffix: () => 'abcde',
};
const classes = priorityClassLookup(new Map(systemPriorityClasses.map((fact) => [fact.name, fact])));

/** The steps with plausible values for what a recording leaves open, the same one everywhere. */
function concreteSteps(session: string): GoldenStep[] {
  return goldenSteps(session).map((step) => {
    const text = JSON.stringify(step)
      .replaceAll(/<time[^>]*>/g, '2026-01-01T00:00:00Z')
      .replaceAll('<microtime>', '2026-01-01T00:00:00.000000Z')
      .replaceAll(/<rand(:\d+)?>/g, 'r4nd5')
      .replaceAll(/<(?:uid|rv|ip):(\d+)>/g, '$1');
    return { ...(JSON.parse(text) as GoldenStep), session };
  });
}

/** What decoding, admission, strategy and validation make of a creation; undefined where the body is not read. */
function create({ kind, namespace }: Target, body: unknown): KubeObject | Failure | undefined {
  const decoded = decodeObject(kind, JSON.stringify(body), { fieldValidation: 'Ignore' });
  if (!decoded.ok) return undefined;
  const { metadata } = decoded.object;
  const placed = { ...decoded.object, metadata: { ...metadata, namespace: kind.namespaced ? namespace : undefined } };
  const admission: Admission = { kind, operation: 'CREATE', lookup, answers: [] };
  let admitted = mutate(admissionSteps.mutate, applyDefaults(kind, placed), admission);
  if (admitted.kind === 'review') {
    const verdict = resolvePodPriority(placed.spec, classes);
    if (isRefusal(verdict)) return refusedAs('pods', placed, verdict) as Failure;
    const answers = [{ type: 'PodAdmitted', data: { ...verdict } }];
    admitted = mutate(admissionSteps.mutate, applyDefaults(kind, placed), { ...admission, answers });
  }
  if (admitted.kind === 'refused') return admitted.status as Failure;
  if (admitted.kind === 'review') throw new Error('asked again');
  const { object } = admitted;
  const named = withGeneratedName(object, 'r4nd5');
  const begun = kind.strategy.begin?.(named, undefined, { dryRun: true, list: () => [], chance: () => 0 }) ?? named;
  if (isFailure(begun)) return begun;
  const prepared = wireFormOf(kind, prepareForCreate(kind, begun, { now, uid: 'uid' }));
  const errors = validateCreate(kind, prepared);
  return errors.length > 0 ? refuseInvalid(kind, prepared.metadata.name ?? '', errors) : prepared;
}

const sessions = [
  'priorityclass-rules',
  'pod-invalid',
  'pod-defaults',
  'pdb-invalid',
  'node-crud',
  'workloads',
  'configmap-crud',
  'dry-run',
  'generate-name',
  'lease-events',
  'field-validation',
  'negotiation',
];

function isCreate(step: GoldenStep): boolean {
  const type = step.request.headers?.['Content-Type'] ?? 'application/json';
  return (
    step.request.method === 'POST' &&
    typeof step.request.body === 'object' &&
    type === 'application/json' &&
    [201, 422].includes(step.response.status)
  );
}

describe.skipIf(!goldenPresent)('recorded creations', () => {
  it.each(sessions)('%s: pass or are refused with the same findings', (session) => {
    for (const step of concreteSteps(session).filter(isCreate)) {
      const target = targetOf(step.request.path);
      const query = goldenQuery(step);
      if (!target || target.name || /Options.meta/.test(step.response.body.message ?? '') || query.fieldValidation === 'Strict') continue;
      if (session === 'priorityclass-rules' && target.kind.groupResource === 'pods') continue;
      const made = create(target, step.request.body);
      const where = `${session} ${step.step}`;
      if (/failed to allocate IP/.test(step.response.body.message ?? '')) continue;
      const asMade = (body: unknown): unknown => JSON.parse(JSON.stringify(body).replaceAll(/(controller-uid\\":\\")\d+/g, '$1uid'));
      if (step.response.status === 422) expect(made, where).toEqual(asMade(step.response.body));
      else expect(isFailure(made) ? made : 'passes', where).toBe('passes');
    }
  });
});

/** Applies a PUT or PATCH to the stored object; undefined where that is not for validation to judge. */
function update({ kind, subresource }: Target, step: GoldenStep, old: KubeObject): KubeObject | Failure | undefined {
  const { method, body, headers } = step.request;
  let wanted: KubeObject;
  if (method === 'PUT') {
    const decoded = decodeObject(kind, JSON.stringify(body), { fieldValidation: 'Ignore' });
    if (!decoded.ok) return undefined;
    wanted = { ...decoded.object, metadata: { ...decoded.object.metadata, namespace: old.metadata.namespace } };
  } else {
    const format = patchFormatOf(headers?.['Content-Type']);
    if (format === undefined || format === 'apply' || format === 'body') return undefined;
    const patched = applyPatch(kind, format as PatchFormat, { kind: kind.kind, apiVersion: kind.apiVersion, ...old } as KubeObject, body);
    if (!patched.ok) return undefined;
    wanted = patched.object;
  }
  const sub = subresource as UpdatedSubresource | undefined;
  const completed = applyDefaults(kind, wanted);
  const admitted = mutate(admissionSteps.mutate, completed, { kind, operation: 'UPDATE', subresource: sub, old, lookup, answers: [] });
  if (admitted.kind !== 'admitted') return admitted.kind === 'refused' ? (admitted.status as Failure) : undefined;
  const prepared = wireFormOf(kind, prepareForUpdate(kind, admitted.object, old, sub));
  const errors = validateUpdate(kind, prepared, old, sub);
  return errors.length > 0 ? refuseInvalid(kind, prepared.metadata.name, errors) : prepared;
}

const updateSessions = [
  'priorityclass-rules',
  'pod-update',
  'pdb-invalid',
  'node-crud',
  'configmap-crud',
  'deletion',
  'patch-types',
  'namespace-lifecycle',
  'lease-events',
];

describe.skipIf(!goldenPresent)('recorded updates', () => {
  it.each(updateSessions)('%s: pass or are refused with the same findings', (session) => {
    const stored = new Map<string, KubeObject>();
    let refused = 0;
    for (const step of concreteSteps(session)) {
      const { method, path } = step.request;
      const { status, body } = step.response;
      const target = targetOf(path);
      if (!target || typeof body !== 'object' || body === null) continue;
      const key = (name: string) => `${target.kind.storage}/${target.namespace ?? ''}/${name}`;
      if (target.name && (method === 'PUT' || method === 'PATCH') && (status === 200 || status === 422) && target.subresource !== 'scale') {
        const present = stored.get(key(target.name));
        const old = present && target.kind.groupResource === 'events.events.k8s.io' ? eventsViewOf(coreEventOf(present)) : present;
        const made = old && update(target, step, old);
        const where = `${session} ${step.step}`;
        if (made && status === 422 && !/^ ""|our request/.test(body.message)) {
          expect(made, where).toEqual(body);
          refused++;
        }
        if (made && status === 200) expect(isFailure(made) ? made : 'passes', where).toBe('passes');
      }
      const dry = goldenQuery(step).dryRun !== undefined;
      if ((status === 200 || status === 201) && body.kind === target.kind.kind && body.metadata?.name && !dry)
        stored.set(key(body.metadata.name), body);
    }
    if (session !== 'namespace-lifecycle') expect(refused).toBeGreaterThan(0);
  });
});
