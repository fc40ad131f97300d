import type { Subscription } from 'rxjs';
import type { LogTree } from '#libs/cluster-state';
import { decisionStream, fact } from '#libs/events';
import { derivedId } from '#libs/kernel';
import type { Timer } from './clock';
import { lifecycleActor, type ClusterRuntime } from './runtime';

/** Events after which the log is sealed again. */
export const sealEventsMax = 4_096;
/** Cluster time after the first event worth a seal, ms. */
export const sealAfterMs = 60_000;
/** Another process seals: so much longer it is left to it, in events and ms. */
const leftToOthersEvents = 1_024;
const leftToOthersMs = 15_000;
/** After a seal that could not be written, ms of real time. */
const pauseMs = 5_000;

export interface SealerOptions {
  /**
   * Seals a log that has become quiet, too, by the clock. Without it a seal waits for the next append: a simulation whose time is over
   * has nothing left to do.
   */
  whenQuiet?: boolean;
}

/**
 * Writes seals into the stream that tells of the cluster's life, all of them after one another whoever writes them: of two at once the
 * store takes one. A seal covers only what this process has folded, so that it is right whenever it comes.
 */
export class Sealer {
  private readonly stream: string;
  private readonly folded: Subscription;
  private timer: Timer | undefined;
  private stopped = false;
  private writing: Promise<void> | undefined;
  /** Digest of this writer's last event in the stream. */
  private follows: string | undefined;
  /** Nothing is tried before; cluster time, ms. */
  private notBefore = 0;

  /** @param tree that of the runtime */
  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly tree: LogTree,
    private readonly options: SealerOptions = {},
  ) {
    const { cluster, writer } = runtime.options;
    this.stream = decisionStream(cluster, 'cluster-lifecycle');
    this.folded = runtime.appended$.subscribe({
      next: ({ stream, events }) => {
        const last = events[events.length - 1];
        if (stream === this.stream && last?.metadata.writer === writer) this.follows = last.metadata.digest as string;
        this.look();
      },
      complete: () => this.end(),
    });
  }

  /** Seals what is not sealed yet, and ends. @param msMax how long that may take at most, real time */
  async stop(msMax: number): Promise<void> {
    this.folded.unsubscribe();
    this.end();
    const last = async (): Promise<void> => {
      await this.writing;
      if (this.tree.unsealedSince !== undefined) await this.write();
    };
    await Promise.race([last(), new Promise((resolve) => setTimeout(resolve, msMax).unref())]);
  }

  private end(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  private look(): void {
    const since = this.tree.unsealedSince;
    if (this.stopped || this.writing || since === undefined || !this.hasBegun) return;
    const now = this.runtime.clock.now();
    const due = Math.max(this.notBefore, since + sealAfterMs + (this.isLeftToOthers ? leftToOthersMs : 0));
    if ((now >= this.notBefore && this.isFull) || now >= due) this.seal();
    else if (this.options.whenQuiet) this.wakeAt(due);
  }

  /** A cluster has begun in the log: before that there is nothing to seal, however much time has passed. */
  private get hasBegun(): boolean {
    return this.runtime.state.head(this.stream) !== undefined;
  }

  private get isFull(): boolean {
    return this.tree.unsealed >= sealEventsMax + (this.isLeftToOthers ? leftToOthersEvents : 0);
  }

  /** Several processes follow the log, and another of them has sealed it last. */
  private get isLeftToOthers(): boolean {
    const { election, writer } = this.runtime.options;
    return election !== undefined && this.tree.sealedBy !== undefined && this.tree.sealedBy !== writer;
  }

  private wakeAt(due: number): void {
    if (this.timer) return;
    this.timer = this.runtime.clock.at(due, () => {
      this.timer = undefined;
      this.look();
    });
  }

  private seal(): void {
    this.writing = this.write().finally(() => {
      this.writing = undefined;
      this.look();
    });
  }

  private async write(): Promise<void> {
    const { state, clock, options } = this.runtime;
    const head = state.head(this.stream);
    // A log that nothing has begun in yet.
    if (!head) return;
    const data = this.tree.sealed();
    const operation = `seal/${data.events}`;
    const origin = { actor: lifecycleActor, operation, correlationId: derivedId(`${options.writer}/${operation}`) };
    try {
      await this.runtime.append(this.stream, [[fact('Sealed', data)]], head.revision, { origin, label: '0', follows: this.follows });
    } catch {
      // Another process has just sealed the log, or the store is away: what is not sealed by then is sealed later.
      this.notBefore = clock.now() + clock.inRealMs(pauseMs);
    }
  }
}
