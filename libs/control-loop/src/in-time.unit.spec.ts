import { describe, expect, it } from 'vitest';
import { LogTimeoutError, LogUnavailableError, OutcomeUnknownError } from '#libs/event-log';
import { inTime } from './in-time';

const never = new Promise<never>(() => undefined);
const late = (): AbortSignal => AbortSignal.abort(new Error('not written within 10 s'));
const soon = (): AbortController => {
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error('the client has gone')));
  return controller;
};

describe('a write whose time is over', () => {
  it('says that nothing was written as long as nothing was sent, and why the log cannot be used', async () => {
    const given = inTime(never, soon().signal, { isSent: false }, () => 'no route');
    await expect(given).rejects.toThrow('the client has gone: no route; nothing was written');
    await expect(given).rejects.toBeInstanceOf(LogTimeoutError);
    await expect(given).rejects.not.toBeInstanceOf(OutcomeUnknownError);
  });

  it('says that it is not known once it was sent', async () => {
    const given = inTime(never, soon().signal, { isSent: true }, () => undefined);
    await expect(given).rejects.toThrow('the client has gone; it had been sent, and is perhaps written');
    await expect(given).rejects.toBeInstanceOf(OutcomeUnknownError);
  });

  it('leaves the word to the log, which hears of it at the same time', async () => {
    const { signal } = soon();
    const work = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new LogUnavailableError('dropped'))));
    await expect(inTime(work, signal, { isSent: true }, () => undefined)).rejects.toThrow('dropped');
  });

  it('changes nothing about one that is done', async () => {
    const controller = new AbortController();
    expect(await inTime(Promise.resolve(1), controller.signal, { isSent: true }, () => undefined)).toBe(1);
    expect(await inTime(Promise.resolve(2), undefined, { isSent: true }, () => undefined)).toBe(2);
  });

  it('is over at once when it was before it began', async () => {
    await expect(inTime(never, late(), { isSent: false }, () => undefined)).rejects.toThrow('not written within 10 s; nothing was written');
  });
});
