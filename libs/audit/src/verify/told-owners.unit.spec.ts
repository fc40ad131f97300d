import { describe, expect, it } from 'vitest';
import type { FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { findingText, Findings } from './finding';
import { ToldOwnersCheck } from './told-owners';

const metadata = { actor: 'user:admin', agent: 'kubectl/v1', verb: 'update', time: 1_000, v: 1, i: 1, n: 1, writer: 'w', digest: 'd' };

function event(type: string, data: JsonObject, more: JsonObject = {}): RecordedEvent {
  const [id, stream] = [type, 'local.deployments.apps-default/web'];
  return { id, type, data, metadata: { ...metadata, ...more }, stream, revision: 0, position: 16, created: 0 } as unknown as RecordedEvent;
}

const deployment = (spec: JsonObject, operation = 'Update', resourceVersion = '1'): KubeObject =>
  ({
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'u',
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [
        {
          manager: 'one',
          operation,
          apiVersion: 'apps/v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        },
      ],
    },
    spec,
    status: {},
  }) as unknown as KubeObject;

/** What is found of an update from one to three replicas that tells this of owners. */
function found(told: JsonObject, more: JsonObject = {}, events = [event('Updated', {}, more)], operation?: string): string[] {
  const findings = new Findings();
  const frame = {
    position: 16,
    stream: 'local.deployments.apps-default/web',
    events: [...events, event('ManagedFieldsChanged', told, more)],
    time: 1_000,
    change: {
      type: 'MODIFIED',
      resource: 'deployments.apps',
      key: 'default/web',
      namespace: 'default',
      name: 'web',
      before: deployment({ replicas: 1 }, operation),
      object: deployment({ replicas: events.length > 0 ? 3 : 1 }, operation, '16'),
    },
  } as unknown as FoldedAppend;
  new ToldOwnersCheck(findings).folded(frame);
  return findings.listed.map(findingText);
}

describe('what a log tells of owners', () => {
  it('is what could have been asked for', () => {
    expect(found({ own: { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } } })).toEqual([]);
    expect(found({ own: { 'f:spec': { 'f:paused': {} } } }, {}, [])).toEqual([]);
    expect(found({ entries: [] })).toEqual([]);
  });

  it('is not what follows from what changed, nor nothing', () => {
    expect(found({ own: { 'f:spec': { 'f:replicas': {} } } })).toEqual([expect.stringContaining('what follows from what changed')]);
    expect(found({})).toEqual([expect.stringContaining('nothing of them has changed')]);
    expect(found({}, {}, [])).toEqual([expect.stringContaining('nothing of them has changed')]);
  });

  it('is when somebody applied what changed nothing: a new version of the object is no change', () => {
    const told = { own: { 'f:spec': { 'f:replicas': {} } } };
    expect(found(told, { verb: 'apply', manager: 'one' }, [], 'Apply')).toEqual([]);
  });

  it('is of fields that there are, and that such a write owns', () => {
    expect(found({ own: { 'f:spec': { 'f:bogus': {} } } })).toEqual([expect.stringContaining('.spec.bogus')]);
    expect(found({ own: { 'f:status': { 'f:replicas': {} } } })).toEqual([expect.stringContaining('does not own')]);
    expect(found({ own: { 'f:spec': { 'f:paused': {} } } }, { sub: 'status' })).toEqual([expect.stringContaining('does not own')]);
    expect(found({ own: { 'f:metadata': { 'f:uid': {} } } })).toEqual([expect.stringContaining('does not own')]);
  });
});
