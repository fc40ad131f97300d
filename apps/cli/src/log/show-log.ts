import type { RecordedEvent } from '#libs/event-log';
import { clusterPrefix, eventClasses } from '#libs/events';
import { CliError } from '../cli-error';
import type { LogFlags } from './log-flags';
import { eventLine } from './event-line';
import { parseObjectName, streamOf } from './object-name';
import { openClusterLog } from './open-cluster-log';

export async function showLog(object: string | undefined, flags: LogFlags): Promise<void> {
  if (flags.output !== 'text' && flags.output !== 'json') throw new CliError(`-o: "${flags.output}" is not known`, 'text or json', 2);
  const unknown = flags.type?.find((type) => !eventClasses.has(type));
  if (unknown) throw new CliError(`--type: no event is called "${unknown}"`, 'The events are listed in docs/events.md.', 2);
  const since = position('--since', flags.since);
  const until = position('--until', flags.until);
  const limit = position('--limit', flags.limit);
  const { log, cluster } = await openClusterLog(flags);
  const name = object === undefined ? undefined : await parseObjectName(object);
  const stream = name && streamOf(cluster, name);
  const filter = { streamPrefixes: [clusterPrefix(cluster)] };
  const wanted = (event: RecordedEvent): boolean =>
    (stream === undefined || event.stream === stream || concerns(event, name?.namespace, name?.name)) &&
    (!flags.type || flags.type.includes(event.type)) &&
    (!flags.actor || event.metadata.actor === flags.actor) &&
    (until === undefined || event.position <= until);
  const print = (event: RecordedEvent): void => void process.stdout.write(`${flags.output === 'json' ? JSON.stringify(event) : eventLine(event, cluster)}\n`);
  let last = (since ?? 1) - 1;
  let found = 0;
  const held: RecordedEvent[] = [];
  for await (const page of log.readAll({ from: since ?? 'start', filter })) {
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

function position(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new CliError(`${flag}: "${text}" is no whole number`, undefined, 2);
  return Number(text);
}
