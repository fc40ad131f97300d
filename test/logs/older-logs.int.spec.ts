import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { verify } from '#libs/audit';
import { EventReader, foldLog } from '#libs/cluster-state';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import { flowControlObjects, localApiServices } from '#libs/kube-api';
import { ApiUnderTest } from '../api-under-test.fixture';

/** Logs that earlier versions wrote; each version has to read them all. They are never written again. */
const logs = readdirSync(__dirname).filter((name) => name.endsWith('.jsonl.gz'));

async function opened(name: string): Promise<{ log: EventLog; events: RecordedEvent[] }> {
  const lines = gunzipSync(readFileSync(join(__dirname, name)))
    .toString('utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line) as RecordedEvent);
  const log = createMemoryLog();
  const reader = new EventReader();
  let append: RecordedEvent[] = [];
  for (const event of events) {
    append.push(event);
    const { i, n } = reader.read(event).metadata;
    if (i !== n) continue;
    await log.append(event.stream, append, 'any');
    append = [];
  }
  return { log, events };
}

describe.each(logs)('the log %s', (name) => {
  it('is read as it was written', async () => {
    const { log, events } = await opened(name);
    const read: RecordedEvent[] = [];
    for await (const page of log.readAll()) read.push(...page);
    expect(read.map(({ id, position, revision }) => [id, position, revision])).toEqual(
      events.map(({ id, position, revision }) => [id, position, revision]),
    );
  });

  it('folds to the pods it ended with', async () => {
    const { log } = await opened(name);
    const state = await foldLog(log, 'local');
    const pods = [...state.list('pods')].map(({ metadata, spec, status }) => [metadata.name, spec.nodeName, status.phase]).sort();
    expect(pods).toMatchSnapshot();
  });

  it('has a whole chain; its decisions cannot be proven', async () => {
    const { log } = await opened(name);
    const report = await verify({ log, cluster: 'local', controllers: await controllerFactory() });
    expect(report).toMatchObject({ chain: [], differ: 0, differences: [] });
    expect(report.unproven.map(({ accept }) => accept)).toContain('older-log=decisions');
    expect(report.notDerivable).toBeGreaterThan(0);
  });

  it('is given what an API server makes of itself now, and nobody is accused of that', async () => {
    const { log, events } = await opened(name);
    const api = await ApiUnderTest.start(log);
    const namesAt = async (path: string): Promise<string[]> => {
      const { items } = JSON.parse((await api.send({ method: 'GET', path })).body) as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata }) => metadata.name);
    };
    try {
      const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
      const networking = '/apis/networking.k8s.io/v1';
      await expect.poll(() => namesAt(`${flowControl}/flowschemas`)).toHaveLength(flowControlObjects().schemas.length);
      await expect.poll(() => namesAt('/apis/apiregistration.k8s.io/v1/apiservices')).toHaveLength(localApiServices().length);
      await expect.poll(() => namesAt(`${networking}/servicecidrs`)).toEqual(['kubernetes']);
      const services = (await foldLog(log, 'local')).list('services');
      const addresses = [...services].flatMap(({ spec }) => (spec?.clusterIPs ?? []) as string[]).filter((address) => address !== 'None');
      await expect.poll(() => namesAt(`${networking}/ipaddresses`)).toEqual(addresses.sort());
      const report = await verify({ log, cluster: 'local', controllers: await controllerFactory() });
      const written = events[events.length - 1]?.position ?? 0;
      expect(report).toMatchObject({ chain: [], differ: 0, differences: [] });
      expect(report.findings.filter(({ position }) => position > written)).toEqual([]);
    } finally {
      await api.close();
    }
  });
});
