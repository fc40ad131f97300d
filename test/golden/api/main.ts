// Plays recorded API sessions against fresh servers of ours: `npm run golden -- api DIR [session …]`.
import { readFileSync } from 'node:fs';
import type { PlayOptions, SessionResult } from '../play-result';
import { tellWaiting } from '../waiting';
import type { Target } from './play/client';
import { Client } from './play/client';
import { findKubectl, KubectlShell } from './play/kubectl';
import { playSamples } from './play/protobuf-samples';
import { SessionPlay } from './play/session';
import { standInBeside } from './play/stand-in-kubelet';
import { WireProxy } from './play/wire-proxy';
import { playRequests, type WireTools } from './play/wire-requests';
import type { Recording, Step } from './recording';
import { isCommand, readRecording, sessionsIn } from './recording';
import type { Server } from './play/server';
import { startServer } from './play/server';
import { WebhookServer } from './play/webhook-server';

interface Settings {
  patience: number;
  pauses: boolean;
  /** The logs that the servers leave are verified. */
  verifies: boolean;
  target?: Target;
}

/**
 * Sessions that share a server: each list begins with one that continues none, and holds what has to be played before a wanted
 * session too.
 */
export function chainsOf(recordings: ReadonlyMap<string, Recording>, wanted: readonly string[]): string[][] {
  const before = (session: string): string[] => {
    const previous = recordings.get(session)?.header.continues;
    return previous === undefined ? [session] : [...before(previous), session];
  };
  const chains = new Map<string, string[]>();
  for (const session of wanted) {
    const path = before(session);
    const root = path[0] ?? session;
    const known = chains.get(root) ?? [];
    chains.set(root, path.length > known.length ? path : known);
  }
  return [...chains.values()];
}

function readWithPredecessors(dir: string, wanted: readonly string[]): Map<string, Recording> {
  const recordings = new Map<string, Recording>();
  const pending = [...wanted];
  for (let session = pending.pop(); session !== undefined; session = pending.pop()) {
    if (recordings.has(session)) continue;
    const recording = readRecording(dir, session);
    recordings.set(session, recording);
    if (recording.header.continues !== undefined) pending.push(recording.header.continues);
  }
  return recordings;
}

const isOfWire = (step: Step): boolean => 'requests' in step;
const isRestarted = ({ header }: Recording): boolean => (header.setup ?? []).some(({ restart }) => restart !== undefined);

const notPlayed = (recording: Recording, reason: string): SessionResult => ({
  session: recording.header.session,
  total: recording.steps.length + recording.samples.length,
  steps: [],
  unplayed: reason,
  seconds: 0,
});

async function playOne(
  recording: Recording,
  client: Client,
  shell: KubectlShell | undefined,
  { restart }: Server,
  settings: Settings,
): Promise<SessionResult> {
  const tools = { client, patience: settings.patience, pauses: settings.pauses };
  if (recording.samples.length > 0) return playSamples(recording, tools);
  if (recording.steps.some(isOfWire)) return playWire(recording, tools);
  const webhooks = await WebhookServer.forRecording(recording);
  try {
    return await new SessionPlay(recording, { ...tools, shell, webhooks, restart }).play();
  } finally {
    webhooks?.close();
  }
}

/** Commands whose requests were recorded go through a proxy that keeps them. */
async function playWire(recording: Recording, tools: WireTools): Promise<SessionResult> {
  const proxy = await WireProxy.before(tools.client.target);
  const shell = new KubectlShell(findKubectl() ?? 'kubectl', { target: proxy.target, stop: () => Promise.resolve(undefined) });
  try {
    return await playRequests(recording, tools, proxy, shell);
  } finally {
    shell.close();
    proxy.close();
  }
}

/** Plays a chain on one server; a session that cannot be played leaves the rest of the chain unplayed too. */
async function playChain(chain: readonly Recording[], settings: Settings): Promise<SessionResult[]> {
  const withCommands = chain.some((recording) => recording.steps.some((step) => isCommand(step) || isOfWire(step)));
  const kubectl = withCommands ? findKubectl() : undefined;
  if (withCommands && kubectl === undefined) {
    const skipped = 'no kubectl v1.33 found (put one on PATH or name it in KUBEREEL_KUBECTL)';
    return chain.map((recording) => ({ ...notPlayed(recording, ''), unplayed: undefined, skipped }));
  }
  let server: Server;
  try {
    server =
      settings.target === undefined
        ? await startServer(chain[0]?.header.runs ?? 'apiserver', undefined, {
            keeps: chain.some(isRestarted),
            verifies: settings.verifies,
          })
        : { target: settings.target, stop: () => Promise.resolve(undefined) };
  } catch (error) {
    return chain.map((recording) => notPlayed(recording, (error as Error).message));
  }
  const client = new Client(server.target);
  const standIn = standInBeside(chain[0]?.header.runs ?? '', client);
  const shell = kubectl === undefined ? undefined : new KubectlShell(kubectl, server);
  const results: SessionResult[] = [];
  try {
    for (const recording of chain) {
      try {
        results.push(await playOne(recording, client, shell, server, settings));
      } catch (error) {
        results.push(notPlayed(recording, (error as Error).message));
      }
    }
  } finally {
    await standIn?.stop();
    client.close();
    shell?.close();
    const problem = await server.stop();
    if (problem !== undefined) results.at(-1)?.steps.push({ step: 'verify', differences: [{ path: 'log', text: problem }] });
  }
  return results;
}

function settingsFrom(options: PlayOptions): Settings {
  const { values } = options;
  const settings: Settings = {
    patience: Number(values['patience'] ?? 10) * 1000,
    pauses: values['no-pauses'] === undefined,
    verifies: values['verify'] !== undefined,
  };
  if (values['server'] !== undefined) {
    settings.target = { url: values['server'], token: values['token'] ?? '' };
    if (values['ca'] !== undefined) settings.target.ca = readFileSync(values['ca'], 'utf8');
  }
  return settings;
}

/** Results in the order of `sessions` (all of the folder when none is named). */
export async function playApi(dir: string, sessions: readonly string[], options: PlayOptions): Promise<SessionResult[]> {
  const wanted = sessions.length > 0 ? sessions : sessionsIn(dir);
  if (wanted.length === 0) throw new Error(`no sessions (*.jsonl) in ${dir}`);
  const recordings = readWithPredecessors(dir, wanted);
  const settings = settingsFrom(options);
  const chains = chainsOf(recordings, wanted).map((names) => names.map((name) => recordings.get(name) as Recording));
  const results = new Map<string, SessionResult>();
  const worker = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined; chain = chains.shift()) {
      for (const result of await playChain(chain, settings)) results.set(result.session, result);
    }
  };
  const jobs = settings.target === undefined ? Math.max(1, Number(options.values['jobs'] ?? 2)) : 1;
  await Promise.all(Array.from({ length: jobs }, worker));
  return tellWaiting(
    'api',
    wanted.map((name) => results.get(name)).filter((result) => result !== undefined),
  );
}
