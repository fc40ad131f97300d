import type { EventLog } from '#libs/event-log';
import { clusterPrefix, objectStream, parseStream } from '#libs/events';
import { CliError } from '../cli-error';
import { parseObjectName, type ObjectName } from './object-name';
import { RemoteLog } from './remote-log';

/** What an object is looked up in. */
interface Place {
  log: EventLog;
  cluster: string;
}

/**
 * The object that a user means: `pod/web-0` as it stands; `web-0` alone is looked for among all kinds of the namespace and those
 * without one, pods first.
 * @param note called with a line when the choice is worth one
 * @throws CliError with the candidates when several kinds have the name, with what is similar when none has
 */
export async function findObject(
  text: string,
  namespace: string,
  place: Place,
  note: (line: string) => void = () => undefined,
): Promise<ObjectName> {
  if (text.includes('/')) return parseObjectName(text, namespace);
  const found = await kindsNamed(text, namespace, place);
  const pod = found.find(({ resource }) => resource === 'pods');
  const [first, ...others] = pod ? [pod, ...found.filter((candidate) => candidate !== pod)] : found;
  if (!first) throw await unknownObject(`"${text}"`, { resource: undefined, namespace, name: text }, place);
  if (others.length > 0 && !pod)
    throw new CliError(`"${text}" is the name of several objects`, `Say which: ${found.map(shown).join(', ')}`, 2);
  if (others.length > 0) note(`${shown(first)} is taken; there is ${others.map(shown).join(', ')} too`);
  return first;
}

async function kindsNamed(name: string, namespace: string, { log, cluster }: Place): Promise<Named[]> {
  const { releaseKinds } = await import('#libs/kube-api');
  const candidates = new Map<string, Named>();
  for (const { served, storage, namespaced, singular } of releaseKinds.all) {
    if (!served) continue;
    const object = { resource: storage, namespace: namespaced ? namespace : undefined, name, singular };
    const stream = objectStream(cluster, storage, object.namespace, name);
    if (!candidates.has(stream)) candidates.set(stream, object);
  }
  const there = await streamsWithEvents(log, [...candidates.keys()]);
  return [...candidates].filter(([stream]) => there.has(stream)).map(([, object]) => object);
}

type Named = ObjectName & { singular: string };

async function streamsWithEvents(log: EventLog, streams: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  if (log instanceof RemoteLog) {
    // A server is asked for all of its log at once; it has no single streams to give.
    const wanted = new Set(streams);
    for await (const page of log.readAll()) for (const { stream } of page) if (wanted.has(stream)) found.add(stream);
    return found;
  }
  for (const stream of streams) for await (const page of log.readStream(stream, { limit: 1 })) if (page.length > 0) found.add(stream);
  return found;
}

function shown({ singular, namespace, name }: Named): string {
  return `${singular}/${namespace === undefined || namespace === 'default' ? '' : `${namespace}/`}${name}`;
}

const similarMax = 5;

/** @param what as the user wrote it; @param wanted its kind, when that was said */
export async function unknownObject(
  what: string,
  wanted: { resource: string | undefined; namespace: string | undefined; name: string },
  { log, cluster }: Place,
): Promise<CliError> {
  const { releaseKinds } = await import('#libs/kube-api');
  const kindOf = new Map(releaseKinds.all.filter(({ served }) => served).map(({ storage, singular }) => [storage as string, singular]));
  const elsewhere = new Set<string>();
  const similar = new Set<string>();
  for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const { stream } of page) {
      const subject = parseStream(cluster, stream);
      if (subject?.kind !== 'object' || subject.resource === 'events') continue;
      if (wanted.resource !== undefined && subject.resource !== wanted.resource) continue;
      const singular = kindOf.get(subject.resource);
      if (singular === undefined) continue;
      const text = shown({ ...subject, namespace: subject.namespace || undefined, singular });
      if (subject.name === wanted.name) elsewhere.add(text);
      else if (isSimilar(subject.name, wanted.name)) similar.add(text);
    }
  }
  const where = wanted.namespace === undefined ? '' : ` in namespace ${wanted.namespace}`;
  const hints = [...elsewhere, ...similar];
  const hint = `${hints.slice(0, similarMax).join(', ')}${hints.length > similarMax ? ', …' : ''}`;
  return new CliError(
    `there is no ${what}${where}, now or ever`,
    hints.length === 0 ? 'See what there is: kubereel log' : `Similar: ${hint}`,
  );
}

function isSimilar(name: string, wanted: string): boolean {
  return name.startsWith(wanted) || (wanted.length > 2 && name.includes(wanted)) || wanted.startsWith(`${name}-`);
}
