// What kubectl puts on the wire: recorded commands, run by a real kubectl through a proxy that keeps its requests.
import type { Difference, SessionResult, StepResult } from '../../play-result';
import { Bindings } from '../compare/bindings';
import type { Client } from './client';
import type { CompareContext } from '../compare/context';
import { isRemadeAtOnce } from '../compare/left-open-transcripts';
import { describe, mismatch } from '../compare/match';
import { Recall } from './recall';
import type { Header, Recording, RequestsStep, WireRequest } from '../recording';
import type { KubectlShell } from './kubectl';
import type { WireProxy } from './wire-proxy';
import { runSetup, Unsupported } from './setup';
import type { SetupContext } from './setup';
import { randomUUID } from 'node:crypto';

export interface WireTools {
  client: Client;
  patience: number;
  pauses: boolean;
}

export function setupFor(header: Header, tools: WireTools): SetupContext {
  const match = { bindings: new Bindings(), startedAt: Date.now(), now: () => Date.now() };
  const compare: CompareContext = { ...match, header, differences: [] };
  return {
    client: tools.client,
    compare,
    substitute: { ...match, recall: new Recall(), given: new Map(), inventUid: () => randomUUID() },
    patience: { milliseconds: tools.patience },
    pauses: tools.pauses,
  };
}

interface Applied {
  metadata?: { annotations?: Record<string, string> };
}

/**
 * The files that the commands read, which the recording does not have: what kubectl sent of them tells what stood in them. Of the object
 * of an unknown kind nothing was sent.
 */
export function filesOf(steps: readonly RequestsStep[]): Record<string, string> {
  const bodyOf = (command: RegExp, method: string): string => {
    const step = steps.find((one) => command.test(one.command));
    return step?.requests.find((wire) => wire.method === method && wire.body !== undefined)?.body ?? '{}';
  };
  const created = JSON.parse(bodyOf(/ apply -f dep\.yaml$/, 'POST')) as Applied;
  const applied = JSON.parse(created.metadata?.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '{}') as Applied;
  // kubectl adds an empty map to what it says was applied.
  delete applied.metadata?.annotations;
  return {
    'dep.yaml': JSON.stringify(applied),
    'dep2.yaml': bodyOf(/ apply --server-side -f dep2\.yaml/, 'PATCH'),
    'pod.yaml': bodyOf(/ create -f pod\.yaml$/, 'POST'),
    'cr.yaml': JSON.stringify({ apiVersion: 'unknown.example.com/v1', kind: 'Unknown', metadata: { name: 'u' } }),
  };
}

/** A remark of the recording behind a command. */
const remark = / \(empty cache\)$/;

/** A step is one command of a real kubectl; it passes when it sends what was recorded and gets the recorded status and content type. */
export async function playRequests(recording: Recording, tools: WireTools, proxy: WireProxy, shell: KubectlShell): Promise<SessionResult> {
  const started = Date.now();
  const steps = recording.steps as unknown as RequestsStep[];
  const setup = setupFor(recording.header, tools);
  const result: SessionResult = { session: recording.header.session, total: steps.length, steps: [], seconds: 0 };
  let files = filesOf(steps);
  let done = Number.NEGATIVE_INFINITY;
  for (const step of steps) {
    const differences: Difference[] = [];
    setup.compare.differences = differences;
    for (const entry of recording.header.setup ?? []) {
      const { beforeStep = 1 } = entry;
      if (beforeStep > done && beforeStep <= step.step) await attempt(differences, 'setup', () => runSetup(setup, entry));
    }
    done = step.step;
    proxy.take();
    await attempt(differences, 'command', async () => {
      await shell.run(step.command.replace(remark, ''), files);
    });
    files = {};
    compareWire(setup.compare, step.requests, proxy.take());
    if (remark.test(step.command)) await shell.run('rm -rf "$HOME/.kube"');
    result.steps.push({ step: step.step, differences } satisfies StepResult);
  }
  result.seconds = (Date.now() - started) / 1000;
  return result;
}

/** Requests in their order; each in all that was kept of it. */
export function compareWire(context: CompareContext, recorded: readonly WireRequest[], sent: readonly WireRequest[]): void {
  if (recorded.length !== sent.length) {
    const told = (requests: readonly WireRequest[]): string => requests.map(({ method, url }) => `${method} ${url}`).join(', ');
    context.differences.push({ path: 'requests', text: `expected ${told(recorded)}; got ${told(sent)}` });
    return;
  }
  recorded.forEach((theirs, index) => {
    const ours = sent[index] as WireRequest;
    const path = `requests[${index}: ${theirs.method} ${theirs.url.split('?')[0] ?? ''}]`;
    const tell = (what: string, reason: string | undefined): void => {
      if (reason !== undefined) context.differences.push({ path: `${path}.${what}`, text: reason });
    };
    const same = (expected: string, actual: string): string | undefined => mismatch(context, expected, actual, { listVersion: true });
    tell('method', same(theirs.method, ours.method));
    tell('url', same(comparableUrl(theirs.url), comparableUrl(ours.url)));
    for (const [name, value] of Object.entries(theirs.headers ?? {})) tell(`headers.${name}`, same(value, ours.headers?.[name] ?? ''));
    tell('body', bodyDiffers(same, theirs.body, ours.body));
    // Requests that were cut off when they were recorded have no status.
    if (theirs.status === undefined || isRemadeAtOnce(theirs.method, theirs.url)) return;
    if (theirs.status !== ours.status) tell('status', describe(theirs.status, ours.status));
    else tell('responseType', same(theirs.responseType ?? '', ours.responseType ?? ''));
  });
}

/** The recording keeps the beginning of a long body. */
const truncation = /… \[truncated \d+ chars\]$|\.\.\. \[truncated \d+ chars\]$|\[truncated \d+ chars\]$/;

function bodyDiffers(same: (expected: string, actual: string) => string | undefined, expected = '', actual = ''): string | undefined {
  if (!truncation.test(expected)) return same(expected, actual.trimEnd());
  const beginning = expected.replace(truncation, '').replace(/[.… ]+$/, '');
  return same(beginning, actual.slice(0, beginning.length + Number(/truncated (\d+)/.exec(expected)?.[1] ?? 0))) === undefined
    ? undefined
    : mismatchOfBeginning(same, beginning, actual);
}

/** Placeholders change lengths, so the cut is looked for. */
function mismatchOfBeginning(
  same: (expected: string, actual: string) => string | undefined,
  beginning: string,
  actual: string,
): string | undefined {
  for (let length = actual.length; length > 0; length -= 1) if (same(beginning, actual.slice(0, length)) === undefined) return undefined;
  return same(beginning, actual);
}

/** Literal uids and versions of the recorded cluster, and the order of a selector that comes from a map, are left open. */
function comparableUrl(url: string): string {
  const [path = '', query] = url.split('?');
  if (query === undefined) return path;
  const parts = query.split('&').map((part) =>
    part
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      .replace(/^resourceVersion=("<rv>"|[1-9]\d*)$/, 'resourceVersion=VERSION')
      .replace(/^timeoutSeconds=(<n>|\d+)$/, 'timeoutSeconds=N')
      .replace(/^hash=(<hash>|[0-9A-F]+)$/, 'hash=HASH')
      .replace(/^fieldSelector=(.*)$/, (_, selector: string) => `fieldSelector=${selector.split('%2C').toSorted().join('%2C')}`),
  );
  return `${path}?${parts.join('&')}`;
}

export async function attempt(differences: Difference[], path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Unsupported) throw error;
    differences.push({ path, text: (error as Error).message });
  }
}
