// Plays one recorded sequence to a server, step by step.
import type { Client } from '@grpc/grpc-js';
import type { Difference } from '../../play-result';
import { compareResponses, compareStatus } from '../compare/answers';
import { exceptionOf, type ExceptionName } from '../compare/exceptions';
import { Symbols } from '../compare/symbols';
import type { Message, RecordedStatus, Sequence, Step } from '../recording';
import { PlayedCall } from './call';
import { encode } from './messages';

export interface PlayedStep {
  /** From 0. */
  step: number;
  differences: Difference[];
  /** The differences may stand, under this name. */
  exception?: ExceptionName;
}

/** The real node never answered; what ours may do in the meantime is not compared. */
const UNANSWERED_MS = 200;

export interface Channels {
  /** Plain, and with messages compressed by an algorithm. */
  client(compression?: string): Client;
}

export class SequencePlayer {
  private readonly open = new Map<string, { call: PlayedCall; tolerant: boolean }>();
  private readonly symbols: Symbols;

  /** @param silenceMs how long nothing must come before a collected call counts as silent */
  constructor(
    private readonly sequence: Sequence,
    private readonly channels: Channels,
    private readonly silenceMs: number,
  ) {
    this.symbols = new Symbols(sequence.order);
  }

  async play(): Promise<PlayedStep[]> {
    const played: PlayedStep[] = [];
    try {
      for (const [i, step] of this.sequence.steps.entries()) {
        const result = await this.step(step).catch((error: unknown) => ({
          differences: [{ path: '', text: `not played: ${(error as Error).message}` }],
        }));
        if (result) played.push({ step: i, ...result });
      }
    } finally {
      for (const { call } of this.open.values()) call.cancel();
    }
    const disorder = this.symbols.disorder();
    if (disorder.length > 0) played.push({ step: -1, differences: disorder.map((text) => ({ path: 'positions', text })) });
    return played;
  }

  /** Undefined: nothing was compared. */
  private async step(step: Step): Promise<Omit<PlayedStep, 'step'> | undefined> {
    if (step.wait !== undefined) await new Promise((resolve) => setTimeout(resolve, step.wait));
    if (step.call !== undefined) return this.call(step, step.call);
    if (step.collect !== undefined) return this.collect(step, step.collect);
    if (step.send !== undefined) this.callNamed(step.send).call.send(this.messages(step, this.callNamed(step.send).call.name));
    if (step.cancel !== undefined) this.callNamed(step.cancel).call.cancel();
    if (typeof step.end === 'string') this.callNamed(step.end).call.end();
    return undefined;
  }

  private callNamed(name: string): { call: PlayedCall; tolerant: boolean } {
    const named = this.open.get(name);
    if (!named) throw new Error(`no call is called ${name}`);
    return named;
  }

  private messages(step: Step, name: string): Buffer[] {
    if (step.raw) return step.raw.map((text) => Buffer.from(text, 'base64'));
    const requests = step.requests ?? (step.request ? [step.request] : []);
    return requests.map((request) => encode(name, request, this.symbols.substitute));
  }

  private async call(step: Step, name: string): Promise<Omit<PlayedStep, 'step'> | undefined> {
    const messages = this.messages(step, name);
    const call = new PlayedCall(this.channels.client(step.compression), name, step);
    call.send(messages);
    if (step.end !== false) call.end();
    if (step.as !== undefined) {
      this.open.set(step.as, { call, tolerant: step.tolerant === true });
      return undefined;
    }
    if (step.open) {
      await call.until(() => false, 0, UNANSWERED_MS);
      call.cancel();
      return undefined;
    }
    const expected = step.responses ?? [];
    await call.until(() => step.cancelled === true && call.responses.length >= expected.length, step.cancelled ? this.silenceMs / 4 : 0);
    call.cancel();
    return this.compare(step, { status: step.cancelled ? undefined : step.status, responses: expected }, call, step.tolerant === true);
  }

  private async collect(step: Step, name: string): Promise<Omit<PlayedStep, 'step'>> {
    const { call, tolerant } = this.callNamed(name);
    const expected = step.responses ?? [];
    // What the recorder waited for may never have come; what it got then must come here.
    const reached = (): boolean => {
      const news = call.peek();
      if (step.status) return call.status !== undefined;
      if (tolerant) return step.until?.caughtUp !== true || news.some((message) => message['caught_up'] !== undefined);
      return news.length >= expected.length;
    };
    await call.until(reached, this.silenceMs);
    return this.compare(step, { status: step.status, responses: expected }, call, tolerant);
  }

  private compare(
    step: Step,
    expected: { status: RecordedStatus | undefined; responses: readonly Message[] },
    call: PlayedCall,
    tolerant: boolean,
  ): Omit<PlayedStep, 'step'> {
    const ours = { status: call.status, responses: call.collect() };
    const differences = compareResponses(expected.responses, ours.responses, this.symbols, tolerant);
    if (expected.status) differences.push(...compareStatus(expected.status, ours.status, this.symbols));
    else if (step.collect !== undefined && ours.status && ours.status.code !== 1) {
      differences.push({ path: 'status', text: `expected an open call, got ${ours.status.name} "${ours.status.details ?? ''}"` });
    }
    if (differences.length === 0) return { differences };
    const call_ = step.call ?? call.name;
    const exception = exceptionOf({ sequence: this.sequence, step: { ...step, call: call_ }, ...expected, ours }, differences);
    return exception === undefined ? { differences } : { differences, exception };
  }
}
