import type { FoldedAppend } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import type { OpenPastOptions, Outline } from '#libs/past';
import type { KeptPast } from './control-plane.module';
import type { LogIdentity } from './log-memory';

export interface KeptPastOptions {
  log: EventLog;
  cluster: string;
  /** Data folder of the snapshots; absent: nothing is kept on disk. */
  folder?: string;
  /** The log is in this process alone, and so is what is kept of its past. */
  isInMemory?: boolean;
  identity: LogIdentity;
}

/** What a process keeps of its cluster's past: beside the snapshots, for a log on disk; in memory for a log in memory, which may let go of its beginning. */
export class KeptPastFolder {
  private outline: Outline | undefined;

  constructor(private readonly options: KeptPastOptions) {}

  /** To be told of each frame that the process folds. */
  readonly folded = (frame: FoldedAppend): void => this.outline?.folded(frame);

  /** The process is about to fold its log from the first event on: an outline of it is drawn on the way. */
  async outlineFromTheBeginning(): Promise<void> {
    const place = await this.place();
    if (!place) return;
    this.outline = await this.openOutline(place);
    this.outline?.follow();
  }

  async open(): Promise<KeptPast | undefined> {
    const { MemoryPast, openPast } = await import('#libs/past');
    if (this.options.isInMemory) return { checkpoints: new MemoryPast() };
    const place = await this.place();
    if (!place) return undefined;
    const checkpoints = await openPast(place);
    this.outline ??= await this.openOutline(place);
    return { checkpoints, outline: this.outline };
  }

  /** A cache: where it cannot be written, the past is read from the checkpoints, or from the first event on. */
  private async openOutline(place: OpenPastOptions): Promise<Outline | undefined> {
    const { openOutlineStorage, Outline } = await import('#libs/past');
    const { log, cluster } = this.options;
    const failed = (error: Error): void =>
      void process.stderr.write(`kubereel: no more is drawn of the outline of the past, so reading it may take longer: ${error.message}\n`);
    try {
      return new Outline(log, cluster, await openOutlineStorage(place), failed);
    } catch (error) {
      failed(error as Error);
      return undefined;
    }
  }

  /** Undefined: nothing is to be kept on disk, or there is nothing yet. */
  private async place(): Promise<OpenPastOptions | undefined> {
    const { log, cluster, folder, identity, isInMemory } = this.options;
    if (isInMemory || folder === undefined || log.history) return undefined;
    const origin = await identity.origin();
    return origin && { folder, cluster, origin, eventAt: (position) => identity.idAt(position) };
  }
}
