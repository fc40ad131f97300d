import { join } from 'node:path';
import { EventReader } from '#libs/cluster-state';
import { openEmbeddedLog, type RecordedEvent } from '#libs/event-log';

/** What the log says of a pod in the life that it is in. */
interface PodLife {
  boundAt?: number;
  startedAt?: number;
  requestedAt?: number;
  graceMs: number;
  /** It does not end by itself. */
  ignoresTerm: boolean;
}

/**
 * Pods that lost their grace, in the log of a stopped cluster: bound ones that were deleted by anybody but their kubelet, or without a request
 * before; and running ones that ignore TERM, but were gone before their grace was over.
 */
export async function gracesLost(folder: string): Promise<string[]> {
  const log = await openEmbeddedLog({ folder: join(folder, 'log'), readOnly: true });
  const check = new GraceCheck();
  const reader = new EventReader();
  for await (const page of log.readAll({ filter: { streamPrefixes: ['local.pods-'] } }))
    for (const event of page) check.take(reader.read(event));
  await log.close();
  return check.problems;
}

export class GraceCheck {
  readonly problems: string[] = [];
  private readonly pods = new Map<string, PodLife>();

  take({ stream, type, data, metadata }: Pick<RecordedEvent, 'stream' | 'type' | 'data' | 'metadata'>): void {
    const time = metadata.time as number;
    const pod = this.pods.get(stream);
    if (type === 'Created')
      this.pods.set(stream, { graceMs: 0, ignoresTerm: JSON.stringify(data).includes('"kubereel.dev/on-term":"ignore"') });
    else if (!pod) return;
    else if (type === 'PodScheduled') pod.boundAt = time;
    else if (type === 'ContainerStarted') pod.startedAt ??= time;
    else if (type === 'DeletionRequested') {
      pod.requestedAt ??= time;
      pod.graceMs = Number(data.gracePeriodSeconds ?? 0) * 1000;
    } else if (type === 'Deleted') {
      this.ended(stream, pod, time, String(metadata.actor));
      this.pods.delete(stream);
    }
  }

  private ended(stream: string, { boundAt, startedAt, requestedAt, graceMs, ignoresTerm }: PodLife, time: number, actor: string): void {
    if (boundAt === undefined) return;
    if (requestedAt === undefined) this.problems.push(`${stream}: deleted by ${actor} though bound, and nobody had requested it`);
    else if (boundAt <= requestedAt && actor !== 'kubelet')
      this.problems.push(`${stream}: bound, and deleted by ${actor} instead of its kubelet`);
    else if (ignoresTerm && startedAt !== undefined && startedAt <= requestedAt && time < requestedAt + graceMs)
      this.problems.push(`${stream}: gone ${requestedAt + graceMs - time} ms before its grace of ${graceMs} ms was over`);
  }
}
