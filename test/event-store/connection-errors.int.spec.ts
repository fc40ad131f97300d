import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStoreDb, type Availability } from '#libs/event-log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificates } from '#libs/app-shell/certificates';
import { startEventStoreServer, type EventStoreServer } from '#apps/event-store';

describe('a store that cannot be used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-errors-'));
  const ca = `tlsCAFile=${encodeURIComponent(join(folder, 'ca.pem'))}`;
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(warning.message);
  let secure: EventStoreServer;
  let plain: EventStoreServer;
  beforeAll(async () => {
    process.on('warning', note);
    const certificates = await createCertificates({ hosts: ['127.0.0.1'], now: Date.now() });
    writeFileSync(join(folder, 'ca.pem'), certificates.ca);
    const tls = { certificate: certificates.certificate, key: certificates.privateKey };
    secure = await startEventStoreServer({ tls, users: [{ name: 'admin', password: 'right' }] });
    plain = await startEventStoreServer({});
  });
  afterAll(async () => {
    process.off('warning', note);
    await secure.close();
    await plain.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function check(connectionString: string, msMax?: number): Promise<Availability> {
    const log = connectEventStoreDb({ connectionString });
    try {
      return await log.check(msMax);
    } finally {
      await log.close();
    }
  }

  const cases: [string, () => string, RegExp][] = [
    ['nobody listens', () => 'esdb://127.0.0.1:1?tls=false', /connect ECONNREFUSED 127\.0\.0\.1:1$/],
    [
      'tls=false, to one with TLS',
      () => `esdb://127.0.0.1:${secure.port}?tls=false`,
      /a store with TLS does that when its address says tls=false/,
    ],
    ['TLS, to one without', () => `esdb://127.0.0.1:${plain.port}?${ca}`, /does not speak TLS: add tls=false/],
    ['an unknown CA', () => `esdb://admin:right@127.0.0.1:${secure.port}`, /name its CA with tlsCAFile=FILE/],
    ['a wrong password', () => `esdb://admin:wrong@127.0.0.1:${secure.port}?${ca}`, /the user or the password in its address is wrong/],
    ['no password', () => `esdb://127.0.0.1:${secure.port}?${ca}`, /wants a user with the right/],
    [
      'no node of a cluster answers',
      () => 'esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=1',
      /none of its nodes says who leads/,
    ],
  ];
  it.each(cases)('says so at once: %s', async (_name, url, reason) => {
    expect(await check(url(), 5_000)).toEqual({ available: false, reason: expect.stringMatching(reason) });
  });

  it('says so when it takes the connection and then nothing happens', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    expect(await check(`esdb://127.0.0.1:${port}?tls=false`, 200)).toEqual({
      available: false,
      reason: 'the event store has not answered for 0.2 s',
    });
    silent.close();
  });

  it('can be used with everything right, and Node warns of nothing', async () => {
    expect(await check(`esdb://admin:right@127.0.0.1:${secure.port}?${ca}`, 5_000)).toEqual({ available: true });
    expect(warnings).toEqual([]);
  });
});
