import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LogTimeoutError, LogUnavailableError, OutcomeUnknownError } from '../errors';
import type { EventLog } from '../port';
import { describeConcurrency, describeContent, describeExpectedRevisions, describeIdempotency } from './append-contract';
import { event, failure, type ContractTarget, type Fixture } from './contract-target';
import { describeReadAll, describeReadStream } from './read-contract';
import { describeSubscriptions } from './subscription-contract';

/** What every adapter of the port promises. Each test keeps to streams of its own, so the log may hold anything else. */
export function describeEventLog(target: ContractTarget): void {
  describe(`event log contract: ${target.name}`, () => {
    let log: EventLog;
    let prefix = '';
    const fixture = (): Fixture => ({ log, target, prefix });
    beforeAll(async () => {
      log = await target.open();
    });
    beforeEach(() => {
      prefix = `contract_${randomUUID().slice(0, 8)}-`;
    });
    afterAll(() => log.close());

    describe('expected revisions', () => describeExpectedRevisions(fixture));
    describe('idempotency', () => describeIdempotency(fixture));
    describe('concurrency', () => describeConcurrency(fixture));
    describe('content', () => describeContent(fixture));
    describe('reading a stream', () => describeReadStream(fixture));
    describe('reading all', () => describeReadAll(fixture));
    describe('subscriptions', () => describeSubscriptions(fixture));

    it('says that it can be read and written', async () => {
      expect(await log.check()).toEqual({ available: true });
    });

    it('writes nothing that nobody waits for any more', async () => {
      const refused = await failure(log.append(`${prefix}s`, [event()], 'any', { signal: AbortSignal.abort() }));
      expect(refused).toBeInstanceOf(LogTimeoutError);
      expect(refused).not.toBeInstanceOf(OutcomeUnknownError);
      expect((await log.append(`${prefix}s`, [event()], 'no_stream', { signal: new AbortController().signal })).revision).toBe(0);
    });

    it('a closed log refuses', async () => {
      const other = await target.open();
      await other.append(`${prefix}s`, [event()], 'any');
      await other.close();
      expect(await failure(other.append(`${prefix}s`, [event()], 'any'))).toBeInstanceOf(LogUnavailableError);
      await other.close();
    });
  });
}
