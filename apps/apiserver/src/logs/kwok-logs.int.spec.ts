import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fact, objectStream } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { filesBelow } from '../serving/host-files';
import { ApiFixture } from '../testing/api-fixture.fixture';

let api: ApiFixture;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubereel-spec-'));
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'logs/plain.log'), 'one\ntwo\n');
  writeFileSync(
    join(folder, 'logs/cri.log'),
    '2026-01-01T11:00:05.5Z stdout F first\n2026-01-01T11:00:06Z stderr P sec\n2026-01-01T11:00:06Z stderr F ond\n',
  );
  writeFileSync(join(folder, 'secret'), 'not for you');
  symlinkSync(join(folder, 'secret'), join(folder, 'logs/link'));
  api = await ApiFixture.start();
  Object.assign(api.live, { hostFile: filesBelow(join(folder, 'logs')) });
  await api.request('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
  await api.request('POST', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', {
    metadata: { name: 'n1' },
    spec: { holderIdentity: 'n1' },
  });
  await pod('p');
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

async function put(resource: string, name: string, rest: object): Promise<void> {
  const object = { metadata: { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' }, ...rest } as KubeObject;
  const origin = { actor: 'test', operation: `${resource}/${name}`, correlationId: 'c' };
  await api.runtime.append(objectStream('local', resource, 'default', name), [[fact('Created', { object })]], 'no_stream', {
    origin,
    label: '0',
    follows: undefined,
  });
}

const pod = (name: string): Promise<void> =>
  put('pods', name, {
    spec: { nodeName: 'n1', containers: [{ name: 'c' }] },
    status: { containerStatuses: [{ name: 'c', restartCount: 0, state: { running: { startedAt: '2026-01-01T11:00:00Z' } } }] },
  });

const logsOf = (name: string, logs: object[]): Promise<void> => put('logs.kwok.x-k8s.io', name, { spec: { logs } });
const log = async (target: string): Promise<string> => (await api.request('GET', `/api/v1/namespaces/default/pods/${target}`)).text;

it('Logs objects of kwok name the file of a container, the one that names it before the one for all', async () => {
  await logsOf('p', [{ logsFile: 'none.log' }, { containers: ['c'], logsFile: 'plain.log' }]);
  expect(await log('p/log')).toBe('one\ntwo\n');
  expect(await log('p/log?tailLines=1')).toBe('two\n');
});

it('lines that container runtimes write have their own times', async () => {
  await logsOf('p', [{ logsFile: join(folder, 'logs/cri.log') }]);
  expect(await log('p/log?timestamps=true')).toBe('2026-01-01T11:00:05.500000000Z first\n2026-01-01T11:00:06.000000000Z second\n');
});

it.each(['../secret', 'link', 'absent.log', '.', '/etc/passwd'])('no file outside the folder is read: %s', async (logsFile) => {
  await logsOf('p', [{ logsFile }]);
  expect(await log('p/log')).toBe(`kwok's log file ${logsFile} is not below the folder of --kwok-files\n`);
});
