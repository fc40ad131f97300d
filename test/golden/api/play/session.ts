// Plays one recorded session against one server, step by step.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Difference, SessionResult, StepResult } from '../../play-result';
import { Bindings } from '../compare/bindings';
import type { Client } from './client';
import { compareResponse } from '../compare/response';
import { scratch, type CompareContext } from '../compare/context';
import { collectedVersions } from '../compare/frames';
import type { KubectlShell } from './kubectl';
import { compareTranscript } from './kubectl';
import { bootstrapVersionsAreUnordered, canBeEarly, comparesStatesOnly, isCleaningUp } from '../compare/left-open';
import { canBeInFlight, missesSecond, secondMatters } from '../compare/left-open-transcripts';
import { PlayedWatch } from './watch';
import { Recall } from './recall';
import type { CommandStep, Header, HttpStep, Recording, Step } from '../recording';
import { isCall, isCommand, isHttp, isWatch } from '../recording';
import type { SetupContext } from './setup';
import { runSetup, Unsupported } from './setup';
import type { SubstituteContext } from './substitute';
import { fillRequest } from './substitute';
import type { WebhookServer } from './webhook-server';

/** Milliseconds for which a reading command is repeated, and between two tries. */
const inFlightWithin = 3_000;
const pollEvery = 150;

export interface SessionTools {
  client: Client;
  shell?: KubectlShell;
  webhooks?: WebhookServer;
  restart?: SetupContext['restart'];
  /** Milliseconds that a set-up condition may take to hold. */
  patience: number;
  /** Whether the recorded pauses are made. */
  pauses: boolean;
}

/** Which versions keep no order: see left-open.ts. */
function unorderedVersions(header: Header, steps: readonly Step[]): (a: number, b: number) => boolean {
  if (bootstrapVersionsAreUnordered(header) || comparesStatesOnly(header)) return () => true;
  const groups = new Map<number, string>();
  for (const step of steps) {
    if (!isHttp(step)) continue;
    for (const [version, group] of collectedVersions(header, step.response.frames ?? [])) groups.set(version, `${step.step}/${group}`);
  }
  return (a, b) => groups.has(a) && groups.get(a) === groups.get(b);
}

export class SessionPlay {
  private readonly recording: Recording;
  private readonly tools: SessionTools;
  private readonly compare: Omit<CompareContext, 'differences'>;
  private readonly substitute: SubstituteContext;
  private readonly results = new Map<number, Difference[]>();
  private readonly setup: SetupContext;
  private open: PlayedWatch[] = [];
  /** Of the clock, in which a command began that another one has to follow at once. */
  private second: number | undefined;

  constructor(recording: Recording, tools: SessionTools) {
    this.recording = recording;
    this.tools = tools;
    const match = {
      bindings: new Bindings(unorderedVersions(recording.header, recording.steps)),
      startedAt: Date.now(),
      now: () => Date.now(),
    };
    this.compare = { ...match, header: recording.header };
    this.substitute = { ...match, recall: new Recall(), given: tools.webhooks?.given ?? new Map(), inventUid: () => randomUUID() };
    this.setup = {
      client: tools.client,
      compare: { ...this.compare, differences: [] },
      substitute: this.substitute,
      shell: tools.shell,
      restart: tools.restart,
      patience: { milliseconds: tools.patience },
      pauses: tools.pauses,
    };
  }

  async play(): Promise<SessionResult> {
    const started = Date.now();
    const { header, steps } = this.recording;
    const result: SessionResult = { session: header.session, total: steps.length, steps: [], seconds: 0 };
    try {
      for (const step of steps) await this.step(step);
      const last = steps.at(-1)?.step ?? 0;
      await this.setupBefore(Number.POSITIVE_INFINITY, last);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      result.unplayed = error.message;
    } finally {
      for (const watch of this.open) await watch.finish();
      this.open = [];
    }
    result.steps = [...this.results].map(([step, differences]): StepResult => ({ step, differences }));
    result.seconds = (Date.now() - started) / 1000;
    return result;
  }

  private differencesOf(step: number): Difference[] {
    const known = this.results.get(step);
    if (known !== undefined) return known;
    const fresh: Difference[] = [];
    this.results.set(step, fresh);
    return fresh;
  }

  private contextOf(step: number): CompareContext {
    return { ...this.compare, differences: this.differencesOf(step) };
  }

  private done = Number.NEGATIVE_INFINITY;

  /** Sends the set-up that is due before `step`; what fails is told with step `at`. */
  private async setupBefore(step: number, at: number): Promise<void> {
    const due = (this.recording.header.setup ?? []).filter(({ beforeStep = 1 }) => beforeStep > this.done && beforeStep <= step);
    this.done = step;
    for (const entry of due) {
      this.setup.compare.differences = [];
      await guarded(this.setup.compare.differences, 'setup', () => runSetup(this.setup, entry));
      if (this.setup.compare.differences.length > 0 && !isCleaningUp(entry, at))
        this.differencesOf(at).push(...this.setup.compare.differences);
    }
  }

  private async step(step: Step): Promise<void> {
    await this.setupBefore(step.step, step.step);
    const differences = this.differencesOf(step.step);
    for (const watch of this.open) watch.stepSent(step.step);
    try {
      if (isCommand(step)) await guarded(differences, 'command', () => this.command(step));
      else if (isCall(step)) await guarded(differences, 'call', () => this.call(step));
      else if (isHttp(step)) await guarded(differences, 'request', () => this.request(step));
    } catch (error) {
      this.results.delete(step.step);
      throw error;
    }
    for (const watch of this.open) await watch.settle(step.step);
    await this.closeAfter(step.step);
  }

  private async request(step: HttpStep): Promise<void> {
    const request = fillRequest(this.substitute, step.request);
    const context = this.contextOf(step.step);
    this.tools.webhooks?.expect(this.callsAfter(step));
    if (isWatch(step)) {
      this.open.push(await PlayedWatch.open(this.tools.client, step, request, context));
      return;
    }
    const deadline = Date.now() + (canBeEarly(this.recording.header, request.method) ? inFlightWithin : 0);
    const mark = context.bindings.mark();
    let answer = await this.tools.client.send(request);
    let body = compareResponse(context, step.request, step.response, answer, this.recording.dir);
    while (context.differences.length > 0 && Date.now() < deadline) {
      context.bindings.rollback(mark);
      context.differences.length = 0;
      await sleep(pollEvery);
      answer = await this.tools.client.send(request);
      body = compareResponse(context, step.request, step.response, answer, this.recording.dir);
    }
    this.tools.webhooks?.compareCount(context);
    this.substitute.recall.learn(step.response.body, body);
    this.substitute.recall.learnDocuments(body);
    const etag = answer.headers.get('etag')?.[0];
    if (etag !== undefined) this.substitute.recall.learnEtag(request.path, etag);
  }

  /** The webhook calls that were recorded as following a step. */
  private callsAfter(step: Step): HttpStep[] {
    const { steps } = this.recording;
    const from = steps.indexOf(step) + 1;
    const to = steps.findIndex((next, index) => index >= from && !isCall(next));
    return steps.slice(from, to < 0 ? undefined : to).filter(isCall);
  }

  private async call(step: HttpStep): Promise<void> {
    if (this.tools.webhooks === undefined) throw new Unsupported('no webhook server runs for this session');
    this.tools.webhooks.compareCall(this.contextOf(step.step), step);
  }

  private async command(step: CommandStep): Promise<void> {
    if (this.tools.shell === undefined) throw new Unsupported('no kubectl runs for this session');
    const context = this.contextOf(step.step);
    const { steps } = this.recording;
    const following = steps.slice(steps.indexOf(step) + 1, steps.indexOf(step) + 3).filter(isCommand);
    if (secondMatters(step.command, following)) {
      await sleep(1000 - (Date.now() % 1000));
      this.second = Math.floor(Date.now() / 1000);
    }
    const deadline = Date.now() + (canBeInFlight(this.recording.header, step.command) ? inFlightWithin : 0);
    for (;;) {
      const mark = context.bindings.mark();
      const attempt = scratch(context);
      const ran = await this.tools.shell.run(step.command, step.files, step.stdin);
      if (missesSecond(step, ran.exit, this.second, Date.now())) return;
      compareTranscript(attempt, step, ran);
      if (attempt.differences.length > 0 && Date.now() < deadline) {
        context.bindings.rollback(mark);
        await sleep(pollEvery);
        continue;
      }
      context.differences.push(...attempt.differences);
      return;
    }
  }

  private async closeAfter(step: number): Promise<void> {
    const ending = this.open.filter((watch) => watch.endAfterStep <= step);
    if (ending.length === 0) return;
    this.open = this.open.filter((watch) => watch.endAfterStep > step);
    // One more exchange, so that a frame too many has the time to come.
    await this.tools.client.send({ method: 'GET', path: '/version' }).catch(() => undefined);
    await Promise.all(ending.map((watch) => watch.finish()));
  }
}

/** What goes wrong in sending is a difference like any other; only Unsupported ends the session. */
async function guarded(differences: Difference[], path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Unsupported) throw error;
    differences.push({ path, text: (error as Error).message });
  }
}
