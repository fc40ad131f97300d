import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubereel, RunningCluster } from './running-cluster';

const words = ['correct-horse', 'battery-staple', 'tr0ub4dor'];
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const telltales = [...words, ...words.map(base64)];
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const secrets = '/api/v1/namespaces/default/secrets';
const merge = { 'content-type': 'application/merge-patch+json' };

/** Every way in which a Secret comes to have a value, the annotation that kubectl leaves included. */
async function keepSecrets(cluster: RunningCluster): Promise<void> {
  const applied = (value: string): object => ({
    annotations: { [annotation]: JSON.stringify({ kind: 'Secret', data: { a: base64(value) } }) },
  });
  const [first = '', second = '', third = ''] = words;
  await cluster.create(secrets, { metadata: { name: 's', ...applied(first) }, data: { a: base64(first) }, stringData: { b: second } });
  const patches = [
    { metadata: applied(second), data: { a: base64(second) } },
    { stringData: { c: third } },
    { data: { a: null, d: base64(first) }, metadata: { annotations: null } },
    { type: 'Opaque', data: null },
    { data: { a: base64(third) }, metadata: applied(third) },
  ];
  for (const patch of patches) expect((await cluster.call('PATCH', `${secrets}/s`, JSON.stringify(patch), merge)).code).toBe(200);
  expect((await cluster.call('DELETE', `${secrets}/s`)).code).toBe(200);
}

const questions = [
  ['log'],
  ['log', '-o', 'json'],
  ['log', 'secret/s'],
  ['log', 'secret/s', '-o', 'json'],
  ['why', 'secret/s'],
  ['why', 'secret/s', '-o', 'json'],
  ['why', 'secret/s', '-o', 'yaml'],
  ['verify'],
  ['verify', '-o', 'json'],
];

describe('what a Secret holds', () => {
  let cluster: RunningCluster;
  let inMemory: RunningCluster;
  let fromServer: Record<string, string>;

  beforeAll(async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--nodes', '1');
    inMemory = await RunningCluster.start(RunningCluster.temporaryFolder(), '--ephemeral', '--nodes', '1');
    const elsewhere = join(RunningCluster.temporaryFolder(), 'config');
    copyFileSync(inMemory.kubeconfig, elsewhere);
    fromServer = { KUBECONFIG: elsewhere };
    await keepSecrets(cluster);
    await keepSecrets(inMemory);
  });
  afterAll(async () => {
    for (const each of [cluster, inMemory]) {
      await each.stop();
      each.remove();
    }
  });

  it.each(questions.map((question) => [question.join(' '), question] as const))('is in no answer of kubereel %s', async (_, words) => {
    const answers = [await kubereel([...words, '--data', cluster.folder]), await kubereel(words, fromServer)];
    for (const { stdout, stderr, code } of answers) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).not.toBe('');
      expect(telltales.filter((word) => stdout.includes(word))).toEqual([]);
    }
  });

  it('is in the log when it is asked for', async () => {
    const ask = ['log', 'secret/s', '-o', 'json', '--show-secrets'];
    for (const { stdout } of [await kubereel([...ask, '--data', cluster.folder]), await kubereel(ask, fromServer)]) {
      expect(words.map(base64).filter((word) => !stdout.includes(word))).toEqual([]);
    }
  });

  it('comes from the server only when it is asked for', async () => {
    const { body } = await inMemory.get('/kubereel/log');
    expect(telltales.filter((word) => JSON.stringify(body).includes(word))).toEqual([]);
    expect(JSON.stringify((await inMemory.get('/kubereel/log?secrets=shown')).body)).toContain(base64(words[0] as string));
    expect((await inMemory.get('/kubereel/log?secrets=1')).code).toBe(400);
  });

  it('is not on the terminal of the cluster, nor the token', () => {
    const token = (JSON.parse(readFileSync(join(cluster.folder, 'kubereel.json'), 'utf8')) as { token: string }).token;
    expect(token.length).toBeGreaterThan(20);
    expect([...telltales, token].filter((word) => cluster.output.includes(word) || inMemory.output.includes(word))).toEqual([]);
  });
});

/** What others than the owner may do with anything in a folder. */
function openDoors(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, mode: statSync(join(folder, name)).mode & 0o777 }))
    .filter(({ name, mode }) => name !== 'ready.json' && (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${name} ${mode.toString(8)}`);
}

describe('a data folder', () => {
  it('is the owner’s alone, and becomes so again with the next start', async () => {
    const folder = RunningCluster.temporaryFolder();
    const cluster = await RunningCluster.start(folder, '--nodes', '1');
    expect(openDoors(folder)).toEqual([]);
    await cluster.stop();
    expect(readdirSync(join(folder, 'snapshots'))).not.toEqual([]);
    expect(openDoors(folder)).toEqual([]);
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) chmodSync(join(folder, name), 0o777);
    const again = await RunningCluster.start(folder);
    expect(openDoors(folder)).toEqual([]);
    await again.stop();
    expect(openDoors(folder)).toEqual([]);
    again.remove();
  });
});
