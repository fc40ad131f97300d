// What a session sent outside its steps: objects to begin with, waiting for a condition, pauses.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client';
import { parse, readsCollection } from '../compare/response';
import { condition } from './condition';
import type { CompareContext } from '../compare/context';
import { report } from '../compare/context';
import type { KubectlShell } from './kubectl';
import { isRefusedAsRecorded } from '../compare/left-open';
import { bindOne, mismatch, show } from '../compare/match';
import { placeholdersIn, templateOf } from '../compare/placeholders';
import type { RecordedRequest, SetupEntry } from '../recording';
import type { SubstituteContext } from './substitute';
import { fillRequest, fillText, UnknownPlaceholder } from './substitute';

/** A set-up entry that cannot be played at all; what follows it in the session is not played. */
export class Unsupported extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'Unsupported';
  }
}

export interface SetupContext {
  client: Client;
  compare: CompareContext;
  substitute: SubstituteContext;
  /** Starts the server again, its history compacted up to a version. Absent where that cannot be done. */
  restart?: (compactedUpTo: string) => Promise<void>;
  /** Absent in sessions without commands. */
  shell?: KubectlShell;
  /** How long to repeat a request until its condition holds, in milliseconds; becomes short after one in vain. */
  patience: { milliseconds: number };
  pauses: boolean;
}

const pollEvery = 50;
const impatience = 1_000;

/** Reports what did not succeed; throws Unsupported. */
export async function runSetup(context: SetupContext, entry: SetupEntry): Promise<void> {
  if (entry.restart !== undefined) {
    if (context.restart === undefined)
      throw new Unsupported('the recorded server was restarted with compacted history here, which is not done to this one');
    return context.restart(fillText(context.substitute, entry.restart.compactedUpTo));
  }
  if (entry.pauseSeconds !== undefined) {
    if (context.pauses) await sleep(entry.pauseSeconds * 1000);
    return;
  }
  if (entry.command !== undefined) return runCommand(context, entry);
  return sendRequest(context, entry);
}

async function runCommand(context: SetupContext, entry: SetupEntry): Promise<void> {
  if (context.shell === undefined) throw new Unsupported('set-up by a command, in a session without commands');
  const ran = await context.shell.run(entry.command ?? '', entry.files, entry.stdin);
  if (ran.exit !== 0) {
    report(context.compare, 'setup', `${entry.command} ended with ${ran.exit}: ${show(ran.stderr)}`);
  }
}

async function sendRequest(context: SetupContext, entry: SetupEntry): Promise<void> {
  const recorded: RecordedRequest = { method: entry.method ?? 'GET', path: entry.path ?? '/' };
  if (entry.query !== undefined) recorded.query = entry.query;
  if (entry.body !== undefined) recorded.body = entry.body;
  if (entry.contentType !== undefined) recorded.headers = { 'Content-Type': entry.contentType };
  const request = await fillFinding(context, recorded);
  const holds = entry.until === undefined ? undefined : condition(entry.until);
  const deadline = Date.now() + context.patience.milliseconds;
  for (;;) {
    const answer = await context.client.send(request);
    const body = parse(answer.body.toString('utf8'));
    if (holds === undefined) {
      if (answer.status >= 400) {
        if (isRefusedAsRecorded(context.compare.header, entry, messageOf(body))) return;
        return report(context.compare, 'setup', `${request.method} ${request.path} answered ${answer.status}: ${show(messageOf(body))}`);
      }
      return bindGiven(context.compare, entry, request, body);
    }
    if (holds(body, answer.status)) return bindGiven(context.compare, entry, request, body);
    if (Date.now() >= deadline) {
      context.patience.milliseconds = Math.min(context.patience.milliseconds, impatience);
      return report(context.compare, 'setup', `${request.method} ${request.path}: ${entry.until} never held; last answer ${answer.status}`);
    }
    await sleep(pollEvery);
  }
}

/** A generated name that no answer has told yet is looked up: the one object so called whose name no number has. */
async function fillFinding(context: SetupContext, recorded: RecordedRequest): Promise<RecordedRequest> {
  try {
    return fillRequest(context.substitute, recorded);
  } catch (error) {
    if (!(error instanceof UnknownPlaceholder)) throw error;
    const segments = recorded.path.split('/');
    const at = segments.findIndex((segment) => placeholdersIn(segment).length > 0);
    const path = fillText(context.substitute, segments.slice(0, at).join('/'));
    const answer = await context.client.send({ method: 'GET', path });
    const items = (parse(answer.body.toString('utf8')) as { items?: { metadata?: { name?: string } }[] } | undefined)?.items ?? [];
    const found = items.some(({ metadata }) => bindName(context.compare, segments[at] ?? '', metadata?.name ?? ''));
    if (!found) throw error;
    return fillRequest(context.substitute, recorded);
  }
}

function bindName(context: CompareContext, expected: string, name: string): boolean {
  if (!templateOf(expected).whole.test(name)) return false;
  const mark = context.bindings.mark();
  if (mismatch(context, expected, name) === undefined) return true;
  context.bindings.rollback(mark);
  return false;
}

const messageOf = (body: unknown): unknown => (body as { message?: unknown } | undefined)?.message ?? body;

function bindGiven(context: CompareContext, entry: SetupEntry, request: RecordedRequest, body: unknown): void {
  const metadata = (body as { metadata?: Record<string, unknown> } | undefined)?.metadata ?? {};
  for (const [key, text] of Object.entries(entry.gives ?? {})) {
    const value = metadata[key];
    const placeholder = placeholdersIn(text)[0];
    if (placeholder === undefined) continue;
    const reason =
      typeof value === 'string' ? bindOne(context, placeholder, value, readsCollection(request)) : `metadata.${key} is ${show(value)}`;
    if (reason !== undefined) report(context, 'setup', `${request.method} ${request.path} for ${text}: ${reason}`);
  }
}
