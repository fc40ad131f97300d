import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClockOptions } from '#libs/app-shell';
import { lastAppend, placeOf } from '#libs/cluster-state';
import { openEmbeddedLog } from '#libs/event-log';
import { writeAtomically } from './data-folder';
import type { RunningControlPlane } from './running-control-plane';
import type { UpPlan } from './up-plan';
import { SupervisedApp, type AppCommand, type Supervisor } from './supervised-app';

const startApp = join(__dirname, 'start-app.js');
const stopGraceMs = 1_200;
const storeUser = 'admin';

/** Where the apps find the log, and how the store is started when it is ours. */
interface Store {
  env: Record<string, string>;
  command?: AppCommand;
}

/** Each app a process of its own over the event store's own protocol, each started again when it dies. */
export async function startSplit(plan: UpPlan): Promise<RunningControlPlane> {
  let listener: () => void = () => undefined;
  let onLost: (error: Error) => void = () => undefined;
  const supervisor: Supervisor = {
    changed: () => listener(),
    say: (line) => void process.stderr.write(`kubereel: ${line}\n`),
    lost: (error) => onLost(error),
  };
  const { env, command } = await storeOf(plan);
  const store = command && new SupervisedApp(command, supervisor);
  const options = writeOptions(plan);
  const appEnv: Record<string, string> = { ...env, KUBEREEL_OPTIONS: join(plan.folder, 'options.json') };
  if (!plan.ephemeral) appEnv.KUBEREEL_DATA = plan.folder;
  if (!plan.snapshots) appEnv.KUBEREEL_SNAPSHOTS = 'off';
  const mayStart = (): Promise<unknown> => Promise.all([options, store?.whenReady()]);
  const apps = plan.apps.map((name) => new SupervisedApp({ name, script: startApp, args: [name], env: appEnv }, supervisor, mayStart));
  const all = store ? [store, ...apps] : apps;
  const close = async (): Promise<void> => {
    // What the others write last is in the last seal, which the API server makes.
    const [last, others] = [apps.filter(seals), apps.filter((app) => !seals(app))];
    for (const group of [others, last]) await Promise.all(group.map((app) => app.stop(stopGraceMs)));
    await store?.stop(stopGraceMs);
  };
  const interrupted = stopOnSignal(close);
  try {
    const [, , ...ready] = await Promise.all([options, store?.start(), ...apps.map((app) => app.start())]);
    return {
      port: ready.find((message) => message.port !== undefined)?.port,
      resumed: !plan.fresh,
      pids: () => Object.fromEntries(all.flatMap((app) => (app.pid === undefined ? [] : [[app.command.name, app.pid]]))),
      onChange: (callback) => (listener = callback),
      onLost: (callback) => (onLost = (error) => void close().finally(() => callback(error))),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  } finally {
    interrupted.over();
  }
}

function seals({ command }: SupervisedApp): boolean {
  return command.name === 'apiserver';
}

/** Until the cluster is ready, TERM and Ctrl-C end what has been started so far, and this process. */
function stopOnSignal(close: () => Promise<void>): { over(): void } {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    void close().finally(() => process.exit(1));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return { over: () => void process.off('SIGTERM', stop).off('SIGINT', stop) };
}

async function storeOf(plan: UpPlan): Promise<Store> {
  const { source, identity } = plan;
  if (source.kind === 'eventstoredb') return { env: { KUBEREEL_EVENT_STORE: source.connectionString } };
  const folder = source.kind === 'embedded' ? source.folder : temporaryLogFolder(plan);
  const durability = source.kind === 'embedded' ? source.durability : 'default';
  const port = await freePort();
  // For this run alone, and in no file: whoever starts the apps tells them.
  const password = randomBytes(24).toString('base64url');
  const files = { certificate: join(plan.folder, 'store.crt'), key: join(plan.folder, 'store.key'), ca: join(plan.folder, 'ca.crt') };
  writeAtomically(files.certificate, identity.certificate);
  writeAtomically(files.key, identity.privateKey);
  writeAtomically(files.ca, identity.ca);
  const url = `esdb://${storeUser}:${password}@127.0.0.1:${port}?tls=true&tlsCAFile=${encodeURIComponent(files.ca)}`;
  const secure = ['--tls-certificate', files.certificate, '--tls-key', files.key, '--user', storeUser];
  return {
    env: { KUBEREEL_EVENT_STORE: url, KUBEREEL_LOG: folder },
    command: {
      name: 'event-store',
      script: startApp,
      args: ['event-store', '--port', String(port), '--data', folder, '--durability', durability, ...secure],
      env: { KUBEREEL_STORE_PASSWORD: password },
    },
  };
}

/** What is not kept is a file too, so that the apps can follow it; it goes with this process. */
function temporaryLogFolder(plan: UpPlan): string {
  if (plan.temporary) return join(plan.folder, 'log');
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-log-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The settings of the apps, secrets among them. */
async function writeOptions(plan: UpPlan): Promise<void> {
  const { options } = plan;
  const port = plan.apps.includes('apiserver') ? options.apiserver?.port || (await freePort()) : 0;
  const apiserver = options.apiserver && { ...options.apiserver, port };
  writeAtomically(join(plan.folder, 'options.json'), JSON.stringify({ ...options, apiserver, clock: await clockOf(plan) }));
}

/** One clock for all apps, also for those started again: a cluster may be ahead of the wall clock, all of its apps alike. */
async function clockOf({ source, clock: { speed, behindMs }, fresh, options }: UpPlan): Promise<ClockOptions> {
  const origin = Date.now();
  let start = origin - (behindMs ?? 0);
  if (source.kind === 'embedded' && !fresh) {
    const log = await openEmbeddedLog({ folder: source.folder, readOnly: true }).catch(() => undefined);
    const last = log && (await lastAppend(log, options.cluster));
    if (last) start = Math.max(start, placeOf(last).time);
    await log?.close();
  }
  return { speed, start, origin, ...(behindMs === undefined ? {} : { catchesUp: true }) };
}

/** A port that is free now. It is used again when the process on it is started again. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
