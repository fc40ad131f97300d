import { join } from 'node:path';
import { EventReader } from '#libs/cluster-state';
import { openEmbeddedLog } from '#libs/event-log';
import { objectStream, parseStream } from '#libs/events';
import { Outcome, type Ledger, type Suspicion } from './ledger';

export interface LogCheck {
  events: number;
  /** Requests that made events. */
  writers: number;
  problems: string[];
}

const shownMax = 20;

/** Every event of a user belongs to a request that was acknowledged, or whose answer nobody heard; every creation has its event. */
export async function checkLog(
  folder: string,
  ledger: Ledger,
  from: number,
  count: number,
  lineOf: (index: number) => number | undefined,
): Promise<LogCheck> {
  const log = await openEmbeddedLog({ folder: join(folder, 'log'), readOnly: true });
  const reader = new EventReader();
  const problems: string[] = [];
  const newest = new Map<number, number>();
  const doubts = new Doubts(ledger.suspicions);
  let events = 0;
  let agent = '';
  const tell = (text: string): void => {
    if (problems.length < shownMax) problems.push(text);
  };
  for await (const page of log.readAll({})) {
    for (const recorded of page) {
      events++;
      const { stream, type, metadata, position } = reader.read(recorded);
      if (metadata.i === 1 && !String(metadata.actor).startsWith('user:')) doubts.others(stream, position);
      if (parseStream('local', stream)?.kind !== 'object' || !String(metadata.actor).startsWith('user:')) continue;
      // An append says once, with its first event, who asked for it.
      if (metadata.i === 1) agent = String(metadata.agent);
      const index = /^f\/(\d+)$/.exec(agent)?.[1];
      if (index === undefined) {
        if (agent !== 'setup' && agent !== 'undefined') tell(`${type} on ${stream} at ${position} was written by ${agent}`);
        continue;
      }
      newest.set(Number(index), position);
      doubts.take(Number(index), stream, type, position);
      if (ledger.outcomeOf(Number(index)) === Outcome.nothing)
        tell(`${type} on ${stream} at ${position} belongs to request ${index}, which was not acknowledged`);
    }
  }
  await log.close();
  for (let index = from; index < from + count; index++) {
    const position = newest.get(index);
    if (ledger.outcomeOf(index) === Outcome.created && position === undefined)
      tell(`request ${index} was answered 201, and there is no event of it`);
    const version = ledger.versionOf(index);
    if (position !== undefined && version > 0 && position !== version)
      tell(`request ${index} was answered at version ${version}, its event is at ${position}`);
  }
  for (const text of doubts.left(lineOf)) tell(text);
  return { events, writers: newest.size, problems };
}

/** Finds out who wrote what a line did not know of. */
class Doubts {
  private readonly writers = new Map<number, number | undefined>();
  private readonly deleters = new Map<string, (number | undefined)[]>();

  constructor(private readonly suspicions: readonly Suspicion[]) {
    for (const { key, version } of suspicions) {
      if (version === undefined) this.deleters.set(streamOf(key), []);
      else this.writers.set(version, undefined);
    }
  }

  take(index: number | undefined, stream: string, type: string, position: number): void {
    if (this.writers.has(position)) this.writers.set(position, index);
    if (type === 'Deleted') this.deleters.get(stream)?.push(index);
  }

  /** What no user wrote. */
  others(stream: string, position: number): void {
    this.take(undefined, stream, 'Deleted', position);
  }

  /** Those that nobody of another line explains. */
  left(lineOf: (index: number) => number | undefined): string[] {
    return this.suspicions.flatMap(({ index, key, version, text }) => {
      const writers = version === undefined ? (this.deleters.get(streamOf(key)) ?? []) : [this.writers.get(version)];
      const isForeign = writers.some((writer) => writer === undefined || lineOf(writer) !== lineOf(index));
      return isForeign ? [] : [`${index}: ${key}: ${text}; written by ${writers.join()}`];
    });
  }
}

function streamOf(key: string): string {
  const [resource = '', namespace = '', name = ''] = key.split('/');
  return objectStream('local', resource, namespace === '' ? undefined : namespace, name);
}
