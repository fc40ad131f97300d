import { lastAppendThat } from '#libs/cluster-state';
import { EventLogError, ForkedLog, HistoryForgottenError, type ForkedLogOptions, type RecordedEvent } from '#libs/event-log';
import { clusterPrefix, decisionStream, fact, type EventData } from '#libs/events';
import { derivedId } from '#libs/kernel';
import { stamp } from './stamp';

export interface ForkLogOptions extends ForkedLogOptions {
  cluster: string;
  /** Of the parent at the last whole append up to the position, where somebody has it. */
  seal?: { events: number; root: string };
}

/**
 * A fork of a cluster's log at the last whole append up to a position. A new one begins with `LogForked`, in the stream of the cluster's own
 * life; one that was begun earlier is opened again.
 * @throws EventLogError when there is nothing up to the position, or the own part is another log or another fork;
 * HistoryForgottenError when the parent has let go of it
 */
export async function forkLog({ cluster, seal, ...options }: ForkLogOptions): Promise<ForkedLog> {
  const { parent } = options;
  const forgotten = parent.history?.forgotten ?? 0;
  if (options.position < forgotten) throw new HistoryForgottenError(options.position, forgotten);
  const place = await lastAppendThat(parent, cluster, ({ position }) => position <= options.position);
  const origin = await firstOf(parent.readAll({ limit: 1, filter: { streamPrefixes: [clusterPrefix(cluster)] } }));
  if (!place || !origin) throw new EventLogError(`nothing of the cluster "${cluster}" is in the log up to position ${options.position}`);
  const { position } = place;
  const fork = new ForkedLog({ ...options, position });
  const begun = await firstOf(fork.readAll({ from: position + 1, limit: 1, filter: { streamPrefixes: [clusterPrefix(cluster)] } }));
  if (begun) {
    assertSame(begun, origin, position);
    return fork;
  }
  const stream = decisionStream(cluster, 'cluster-lifecycle');
  const before = await firstOf(fork.readStream(stream, { direction: 'backwards', limit: 1 }));
  const operation = `fork/${position}`;
  const id = derivedId(`${origin.id}/${operation}`);
  const events = stamp({
    stream,
    frames: [[fact('LogForked', { parent: origin.id, position, ...seal })]],
    origin: { actor: 'apiserver', operation, correlationId: id },
    writer: `fork-${id.slice(0, 8)}`,
    time: place.time,
    // In a stream that several write to each follows himself.
    follows: undefined,
    label: '0',
  });
  await fork.append(stream, events, before?.revision ?? 'no_stream');
  return fork;
}

function assertSame({ type, data, ...event }: RecordedEvent, origin: RecordedEvent, position: number): void {
  if (type !== 'LogForked') throw new EventLogError(`the log is no fork: it begins with ${type} at position ${event.position}`);
  const forked = data as unknown as EventData<'LogForked'>;
  if (forked.parent !== origin.id || forked.position !== position)
    throw new EventLogError(
      `the log is another fork: of the log that begins with event ${forked.parent} at position ${forked.position}, not of ${origin.id} at ${position}`,
    );
}

async function firstOf(pages: AsyncIterable<readonly RecordedEvent[]>): Promise<RecordedEvent | undefined> {
  for await (const [event] of pages) return event;
  return undefined;
}
