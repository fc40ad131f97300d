import type { ClusterRuntime } from '#libs/control-loop';
import { fact } from '#libs/events';
import { derivedId } from '#libs/kernel';
import type { StreamSink } from '../http/answer';

/** A watch that is open for this long is one by which somebody goes, ms: a short look changes nothing. */
export const wantedAfterMs = 5_000;
/** Without a watch for so long, nobody goes by the Leases any more, ms: clients that come back have come by then. */
export const unwantedAfterMs = 60_000;

/**
 * Sees to it that kubelets renew the Leases of their nodes while somebody watches them: a controller manager that is not kubereel's takes
 * nodes for dead whose Lease is not renewed. For all others the log has no heartbeats.
 */
export class LeaseWatches {
  private open = 0;
  private timer: NodeJS.Timeout | undefined;
  /** What the timer will see to. */
  private awaited: boolean | undefined;
  private changes = 0;

  constructor(private readonly runtime: ClusterRuntime) {
    // Who watched may have gone with the process before.
    if (this.isWanted) this.schedule();
  }

  /** A watch of the Leases has begun. */
  begun(sink: StreamSink): void {
    this.open++;
    this.schedule();
    sink.onClosed(() => {
      this.open--;
      this.schedule();
    });
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private get isWanted(): boolean {
    return this.runtime.state.decisions.heartbeatsWanted;
  }

  private schedule(): void {
    const wanted = this.open > 0;
    if (this.awaited === wanted) return;
    clearTimeout(this.timer);
    this.awaited = undefined;
    if (this.isWanted === wanted) return;
    this.awaited = wanted;
    this.timer = setTimeout(() => void this.record(wanted), wanted ? wantedAfterMs : unwantedAfterMs).unref();
  }

  private async record(wanted: boolean): Promise<void> {
    const { runtime } = this;
    const operation = `lease-watches/${runtime.state.position}/${this.changes++}`;
    const origin = { actor: 'apiserver', operation, correlationId: derivedId(`${runtime.options.writer}/${operation}`) };
    const change = fact(wanted ? 'HeartbeatsWanted' : 'HeartbeatsUnwanted', {});
    // Where the log cannot be written there are no heartbeats either; the next watch tries again.
    await runtime.appendDecision('kubelet-decisions', [change], origin, '0').catch(() => undefined);
    this.awaited = undefined;
    this.schedule();
  }
}
