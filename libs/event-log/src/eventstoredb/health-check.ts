import type { AvailabilityMonitor } from '../availability';
import { CHECK_MS_MAX } from '../availability';
import { logError } from './client-errors';
import { readOne } from './client-reads';
import type { Connection } from './connection';

/** While a check has failed, how often it is repeated without being asked for, ms. */
const REPEAT_MS = 1_000;
/** Failed checks after which the client is made anew: a connection may be dead without a word. */
const FAILURES_BEFORE_RENEWAL = 3;

/** Asks the store for its last event, when somebody wants to know, and after that until it answers again. */
export class HealthCheck {
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;

  constructor(
    private readonly connection: Connection,
    private readonly monitor: AvailabilityMonitor,
  ) {}

  /** Resolves when the monitor knows, within `msMax`. */
  check(msMax: number): Promise<void> {
    this.running ??= this.ask(msMax).finally(() => (this.running = undefined));
    return this.running;
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private async ask(msMax: number): Promise<void> {
    clearTimeout(this.timer);
    try {
      await readOne(this.connection, (client) => client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }), msMax);
      this.failures = 0;
      this.monitor.well('check');
    } catch (error) {
      if (this.connection.isClosed) return;
      this.monitor.trouble('check', logError(error).message);
      this.failures += 1;
      if (this.failures % FAILURES_BEFORE_RENEWAL === 0) void this.connection.renew();
      this.timer = setTimeout(() => void this.check(CHECK_MS_MAX), REPEAT_MS).unref();
    }
  }
}
