import type { ServiceError } from '@grpc/grpc-js';
import { serviceError } from './refusals';

/** What this module uses of grpc's streaming calls. */
interface StreamingCall {
  readonly cancelled: boolean;
  write(message: object): boolean;
  end(): void;
  emit(event: 'error', error: Partial<ServiceError>): boolean;
  once(event: 'drain' | 'cancelled', listener: () => void): unknown;
}

/** The replies of a streaming call, at the pace of its reader. */
export class ReplyStream {
  private over = false;
  private draining: Promise<void> | undefined;
  private release: (() => void) | undefined;

  constructor(
    private readonly call: StreamingCall,
    private readonly onOver: () => void = () => undefined,
  ) {
    call.once('cancelled', () => this.finish());
  }

  get ended(): boolean {
    return this.over;
  }

  /** Undefined: go on. A promise: not before it settles, which it does also when the call has ended. */
  write(reply: object): Promise<void> | undefined {
    if (this.over) return undefined;
    if (this.call.write(reply)) return undefined;
    this.draining ??= new Promise((resolve) => {
      this.release = () => {
        this.draining = undefined;
        resolve();
      };
      this.call.once('drain', this.release);
    });
    return this.draining;
  }

  end(): void {
    if (this.over) return;
    this.finish();
    this.call.end();
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.finish();
    this.call.emit('error', serviceError(error));
  }

  private finish(): void {
    this.over = true;
    this.release?.();
    this.onOver();
  }
}
