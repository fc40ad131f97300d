import type { RecordedEvent } from '#libs/event-log';
import { clusterPrefix, eventClasses, withHiddenSecrets } from '#libs/events';
import { stay } from '../terminal/stay';
import { CliError } from '../cli-error';
import type { LogFlags } from './log-flags';
import { eventLine } from './event-line';
import { findObject } from './find-object';
import { streamOf } from './object-name';
import { openClusterLog } from './open-cluster-log';
import { paintEventLine } from './paint-event';
import { checkMoment, isFrom, isUpTo, readBound } from './time-range';
import { painter } from '../terminal/colour';

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
  const filter = { streamPrefixes: [clusterPrefix(cluster)] };
  const wanted = (event: RecordedEvent): boolean =>
    (stream === undefined || event.stream === stream || concerns(event, name?.namespace, name?.name)) &&
    (!flags.type || flags.type.includes(event.type)) &&
    (!flags.actor || event.metadata.actor === flags.actor) &&
    isFrom(since, event) &&
    isUpTo(until, event);
  const paint = painter();
  const textOf = (event: RecordedEvent): string => paintEventLine(eventLine(event, cluster), event.type, paint);
  const print = (event: RecordedEvent): void => {
    const shown = flags.showSecrets ? event : withHiddenSecrets(event);
    process.stdout.write(`${flags.output === 'json' ? JSON.stringify(shown) : textOf(shown)}\n`);
  };
  const from = since?.kind === 'position' ? since.position : undefined;
  let last = (from ?? 1) - 1;
  let found = 0;
  const held: RecordedEvent[] = [];
  for await (const page of log.readAll({ from: from ?? 'start', filter })) {
    for (const event of page) {
      last = event.position;
      if (!wanted(event)) continue;
      found++;
      if (limit === undefined) print(event);
      else if (held.push(event) > limit) held.shift();
    }
  }
  held.forEach(print);
  if (!flags.follow) {
    await log.close();
    if (found === 0) throw new CliError(`no event matches${object === undefined ? '' : ` ${object}`}`, 'See them all: kubereel log');
    return;
  }
  process.once('SIGINT', () => process.exit(0));
  stay();
  log.subscribe(
    { after: last, filter },
    {
      events: (batch) => batch.filter(wanted).forEach(print),
      caughtUp: () => undefined,
      failed: (error) => {
        process.stderr.write(`kubereel log: ${error.message}\n`);
        process.exit(1);
      },
    },
  );
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
