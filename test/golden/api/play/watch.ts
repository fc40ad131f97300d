// One recorded watch, open beside the steps that follow it.
import type { Client, WatchStream } from './client';
import { compareHeaders, parse } from '../compare/response';
import type { CompareContext } from '../compare/context';
import { report } from '../compare/context';
import { FrameComparison } from '../compare/frames';
import { keepsAllHeaders } from '../compare/left-open';
import { describe } from '../compare/match';
import type { HttpStep, RecordedRequest } from '../recording';

const framesWithin = 3_000;
const endWithin = 5_000;

export class PlayedWatch {
  readonly recorded: HttpStep;
  readonly context: CompareContext;
  private readonly frames: FrameComparison;
  private readonly stream: WatchStream;
  private readonly request: RecordedRequest;
  private taken = 0;
  private readonly openedAt = Date.now();
  /** After one frame in vain, the next are not waited for as long again. */
  private late = false;
  private currentStep: number;
  private wake: () => void = () => undefined;

  private constructor(recorded: HttpStep, request: RecordedRequest, stream: WatchStream, context: CompareContext) {
    this.recorded = recorded;
    this.request = request;
    this.stream = stream;
    this.context = context;
    this.currentStep = recorded.step;
    this.frames = new FrameComparison(context, request, recorded.response.frames ?? []);
    stream.onChange = () => this.take();
    this.take();
  }

  /** Resolves once the answer's headers are there. */
  static async open(client: Client, recorded: HttpStep, request: RecordedRequest, context: CompareContext): Promise<PlayedWatch> {
    return new PlayedWatch(recorded, request, await client.watch(request), context);
  }

  get endAfterStep(): number {
    return this.recorded.response.endAfterStep ?? this.recorded.step;
  }

  /** From here on, frames count as after this step. */
  stepSent(step: number): void {
    this.currentStep = step;
  }

  /** Waits, within bounds, for the frames that were recorded up to this step. */
  async settle(step: number): Promise<void> {
    const due = this.frames.dueAfter(step);
    const arrived = await this.until(() => this.frames.count >= due || this.stream.ended, this.late ? 50 : framesWithin);
    if (!arrived) this.late = true;
    this.frames.advance();
  }

  /** Ends the watch as recorded and compares what is left. */
  async finish(): Promise<void> {
    const { response } = this.recorded;
    if (response.end === 'closed by server') {
      const timeout = Number(/(?:^|&)timeoutSeconds=(\d+)/.exec(this.request.query ?? '')?.[1] ?? 0) * 1000;
      const left = Math.max(0, this.openedAt + timeout - Date.now()) + endWithin;
      if (!(await this.until(() => this.stream.ended, left))) {
        report(this.context, 'end', `the server did not close the watch within ${Math.round((Date.now() - this.openedAt) / 1000)} s`);
      }
    } else if (this.stream.ended) {
      report(this.context, 'end', 'the server closed the watch, which was recorded as open');
    }
    this.stream.close();
    if (this.stream.status !== response.status) report(this.context, 'status', describe(response.status, this.stream.status));
    compareHeaders(this.context, response.headers, this.stream.headers, keepsAllHeaders(this.context.header));
    this.frames.finish();
  }

  private take(): void {
    for (; this.taken < this.stream.frames.length; this.taken += 1) {
      const text = this.stream.frames[this.taken] ?? '';
      this.frames.take({ afterStep: this.currentStep, frame: parse(text) ?? text });
    }
    this.wake();
  }

  private until(holds: () => boolean, within: number): Promise<boolean> {
    if (holds()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (result: boolean) => {
        clearTimeout(timer);
        this.wake = () => undefined;
        resolve(result);
      };
      const timer = setTimeout(() => finish(false), within);
      this.wake = () => {
        if (holds()) finish(true);
      };
    });
  }
}
