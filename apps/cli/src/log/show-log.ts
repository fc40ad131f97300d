import { AppendReader, readAppends, readAppendsBackwards, type Append } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { clusterPrefix, eventClasses, withHiddenSecrets } from '#libs/events';
import { stay } from '../terminal/stay';
import { CliError } from '../cli-error';
import type { LogFlags } from './log-flags';
import { eventLine } from './event-line';
import { findObject } from './find-object';
import { streamOf } from './object-name';
import { openClusterLog, type ClusterLog } from './open-cluster-log';
import { paintEventLine } from './paint-event';
import { beginningOf, checkMoment, isFrom, isUpTo, readBound, type Bound } from './time-range';
import { painter } from '../terminal/colour';
import { printable } from '../terminal/printable';

/**
 * `kubereel log`.
 * @param object as the user wrote it; absent: events about everything
 * @throws CliError when no event matches, or a flag is wrong
 */
export async function showLog(object: string | undefined, flags: LogFlags): Promise<void> {
  if (flags.output !== 'text' && flags.output !== 'json') throw new CliError(`-o: "${flags.output}" is not known`, 'text or json', 2);
  const unknown = flags.type?.find((type) => !eventClasses.has(type));
  if (unknown) throw new CliError(`--type: no event is called "${unknown}"`, 'The events are listed in docs/events.md.', 2);
  checkMoment('--since', flags.since);
  checkMoment('--until', flags.until);
  const limit = wholeNumber('--limit', flags.limit);
  const place = await openClusterLog({ ...flags, secrets: flags.showSecrets ? 'shown' : 'hidden' });
  const { log, cluster } = place;
  const note = (line: string): void => void process.stderr.write(`kubereel: ${line}\n`);
  if (place.forgotten !== undefined) note(`the history before position ${place.forgotten} has been let go (kubereel up --history)`);
  const since = flags.since === undefined ? undefined : await readBound('--since', flags.since, place, note);
  const until = flags.until === undefined ? undefined : await readBound('--until', flags.until, place, note);
  const name = object === undefined ? undefined : await findObject(object, 'default', place, note);
  const stream = name && streamOf(cluster, name);
  const wanted = (event: RecordedEvent): boolean =>
    (stream === undefined || event.stream === stream || concerns(event, name?.namespace, name?.name)) &&
    (!flags.type || flags.type.includes(event.type)) &&
    (!flags.actor || event.metadata.actor === flags.actor) &&
    isFrom(since, event) &&
    isUpTo(until, event);
  const paint = painter();
  const textOf = (event: RecordedEvent): string => paintEventLine(printable(eventLine(event, cluster)), printable(event.type), paint);
  const print = (event: RecordedEvent): void => {
    const shown = flags.showSecrets ? event : withHiddenSecrets(event);
    process.stdout.write(`${flags.output === 'json' ? JSON.stringify(shown) : textOf(shown)}\n`);
  };
  const found = await printWanted(place, { since, until, limit, wanted, print });
  if (!flags.follow) {
    await log.close();
    if (found.count === 0) throw new CliError(`no event matches${object === undefined ? '' : ` ${object}`}`, 'See them all: kubereel log');
    return;
  }
  process.once('SIGINT', () => process.exit(0));
  stay();
  const reader = new AppendReader();
  log.subscribe(
    { after: found.last, filter: { streamPrefixes: [clusterPrefix(cluster)] } },
    {
      events: (batch) => {
        for (const event of batch) for (const one of reader.add(event) ?? []) if (wanted(one)) print(one);
      },
      caughtUp: () => undefined,
      failed: (error) => {
        process.stderr.write(`kubereel log: ${error.message}\n`);
        process.exit(1);
      },
    },
  );
}

interface Wanted {
  since: Bound | undefined;
  until: Bound | undefined;
  /** Only so many of the newest. */
  limit: number | undefined;
  wanted: (event: RecordedEvent) => boolean;
  print: (event: RecordedEvent) => void;
}

/** Prints what there is, oldest first. Gives how much that was, and the position of the last event in the log. */
async function printWanted(
  { log, cluster }: ClusterLog,
  { since, until, limit, wanted, print }: Wanted,
): Promise<{ count: number; last: number }> {
  const last = (await log.head({ streamPrefixes: [clusterPrefix(cluster)] })) ?? 0;
  if (limit !== undefined) {
    const newest = await newestWanted(readAppendsBackwards(log, cluster, last + 1), limit, wanted);
    newest.forEach(print);
    return { count: newest.length, last };
  }
  const from = since && (await beginningOf(since, { log, cluster }));
  const end = until?.kind === 'position' ? Math.min(until.position, last) : last;
  let count = 0;
  for await (const appends of readAppends(log, cluster, { from, until: end })) {
    for (const append of appends) {
      for (const event of append) {
        if (!wanted(event)) continue;
        count++;
        print(event);
      }
    }
  }
  return { count, last };
}

/** The last few of those wanted, oldest first. */
async function newestWanted(
  pages: AsyncIterable<readonly Append[]>,
  limit: number,
  wanted: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent[]> {
  const newest: RecordedEvent[] = [];
  for await (const appends of pages) {
    for (const append of appends) {
      newest.push(...append.filter(wanted).reverse());
      if (newest.length >= limit) return newest.slice(0, limit).reverse();
    }
  }
  return newest.reverse();
}

/** Decisions about an object lie on the streams of those who decide. */
function concerns(event: RecordedEvent, namespace: string | undefined, name: string | undefined): boolean {
  const { data } = event;
  return name !== undefined && (data.pod === name || data.name === name) && (data.namespace ?? '') === (namespace ?? '');
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new CliError(`${flag}: "${text}" is no whole number`, undefined, 2);
  return Number(text);
}
