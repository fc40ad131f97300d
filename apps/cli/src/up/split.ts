import { createServer } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningControlPlane } from './running-control-plane';
import type { UpPlan } from './up-plan';
import { SupervisedApp, type AppCommand } from './supervised-app';

/** dist/apps: this file is dist/apps/cli/src/up/split.js. */
const appsFolder = join(__dirname, '..', '..', '..');
const stopGraceMs = 1_200;

/** Each app a process of its own over the event store's own protocol, each started again when it dies. */
export async function startSplit(plan: UpPlan): Promise<RunningControlPlane> {
  let listener: () => void = () => undefined;
  const changed = (): void => listener();
  const own = plan.source.kind !== 'eventstoredb';
  const storePort = own ? await freePort() : undefined;
  const url = plan.source.kind === 'eventstoredb' ? plan.source.connectionString : `esdb://127.0.0.1:${storePort}?tls=false`;
  const store = storePort === undefined ? undefined : new SupervisedApp(storeCommand(plan, storePort), changed);
  await store?.start();
  const optionsPath = join(plan.folder, 'options.json');
  mkdirSync(plan.folder, { recursive: true });
  const apiPort = plan.apps.includes('apiserver') ? plan.options.apiserver?.port || (await freePort()) : undefined;
  const apiserver = plan.options.apiserver && { ...plan.options.apiserver, port: apiPort ?? 0 };
  writeFileSync(optionsPath, JSON.stringify({ ...plan.options, apiserver }), { mode: 0o600 });
  const env: Record<string, string> = { KUBEREEL_EVENT_STORE: url, KUBEREEL_OPTIONS: optionsPath };
  if (plan.snapshots) env.KUBEREEL_DATA = plan.folder;
  const apps = plan.apps.map(
    (name) => new SupervisedApp({ name, script: join(appsFolder, name, 'src', 'main.js'), args: [], env }, changed),
  );
  const all = store ? [store, ...apps] : apps;
  const close = async (): Promise<void> => {
    await Promise.all(apps.map((app) => app.stop(stopGraceMs)));
    await store?.stop(stopGraceMs);
  };
  try {
    const ready = await Promise.all(apps.map((app) => app.start()));
    return {
      port: ready.find((message) => message.port !== undefined)?.port,
      resumed: !plan.fresh,
      pids: () => Object.fromEntries(all.flatMap((app) => (app.pid === undefined ? [] : [[app.command.name, app.pid]]))),
      onChange: (callback) => (listener = callback),
      onLost: () => undefined,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function storeCommand(plan: UpPlan, port: number): AppCommand {
  const where = plan.source.kind === 'embedded' ? ['--data', plan.source.folder, '--durability', plan.source.durability] : ['--ephemeral'];
  return {
    name: 'event-store',
    script: join(appsFolder, 'cli', 'src', 'main.js'),
    args: ['event-store', '--quiet', '--port', String(port), ...where],
    env: {},
  };
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
