import { describe, expect, it } from 'vitest';
import {
  administratorUid,
  canBeEarly,
  isCollected,
  isRefusedAsRecorded,
  isRepeatCount,
  isVersionOfRelated,
  withHexSuffix,
} from './left-open';

const headerOf = (session: string) => ({
  session,
  title: '',
  area: 'controllers',
  server: 'v1.34.4',
  runs: 'apiserver+controller-manager',
});
const live = headerOf('deployment-live');
const other = headerOf('deletion');

describe('what sessions leave open', () => {
  it('is in live sessions when a state is read, how often an Event was repeated, and which version of a preemptor it names', () => {
    expect([canBeEarly(live, 'GET'), canBeEarly(live, 'PUT'), canBeEarly(other, 'GET')]).toEqual([true, false, false]);
    expect([isRepeatCount(live, 'body.items[1].series.count'), isRepeatCount(live, 'body.rows[3].cells[8]')]).toEqual([true, true]);
    expect([isRepeatCount(other, 'body.items[1].series.count'), isRepeatCount(live, 'body.rows[3].cells[7]')]).toEqual([false, false]);
    expect(isRepeatCount(live, 'body.spec.count')).toBe(false);
    expect(isVersionOfRelated(live, 'body.items[3].related.resourceVersion')).toBe(true);
    expect(isVersionOfRelated(live, 'body.items[3].regarding.resourceVersion')).toBe(false);
    expect(isVersionOfRelated(other, 'body.items[3].related.resourceVersion')).toBe(false);
  });

  it('is the order of dependents that the collector deletes or orphans at once', () => {
    const frame = (type: string, metadata: object) => ({ afterStep: 1, frame: { type, object: { kind: 'ConfigMap', metadata } } });
    const owned = { name: 'a', ownerReferences: [{}] };
    expect(isCollected(headerOf('cascade'), frame('DELETED', owned))).toBe(true);
    expect(isCollected(headerOf('cascade'), frame('MODIFIED', { name: 'a' }))).toBe(true);
    expect(isCollected(headerOf('cascade'), frame('MODIFIED', { name: 'a', deletionTimestamp: 'x' }))).toBe(false);
    expect(isCollected(other, frame('MODIFIED', { name: 'a' }))).toBe(false);
  });

  it('is one refusal of the set-up, by its words', () => {
    const patch = { method: 'PATCH', path: '/api/v1/namespaces/live-a/pods/p/status' };
    const refusal = 'Pod "p" is invalid: status.podIPs: Invalid value: []: may specify no more than one IP for each IP family';
    expect(isRefusedAsRecorded(live, patch, refusal)).toBe(true);
    expect(isRefusedAsRecorded(live, patch, 'another')).toBe(false);
    expect(isRefusedAsRecorded(other, patch, refusal)).toBe(false);
    expect(isRefusedAsRecorded(live, { ...patch, method: 'POST' }, refusal)).toBe(false);
  });

  it('are names made of times, and the uid of the administrator', () => {
    expect(withHexSuffix('shop.18e9b0adf76843e0')).toBe('shop.<hex>');
    expect(withHexSuffix('shop.18e9')).toBe('shop.18e9');
    expect(administratorUid('UID admin-uid')).toBe('UID admin');
  });
});
