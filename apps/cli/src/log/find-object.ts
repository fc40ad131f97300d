import type { EventLog } from '#libs/event-log';
import { clusterPrefix, objectStream, parseStream } from '#libs/events';
import { CliError } from '../cli-error';
import { parseObjectName, type ObjectName } from './object-name';

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
  const { resourceKinds } = await import('#libs/kube-api');
  const found: Named[] = [];
  const seen = new Set<string>();
  for (const { served, storage, namespaced, singular } of resourceKinds) {
    if (!served || seen.has(storage)) continue;
    seen.add(storage);
    const object = { resource: storage, namespace: namespaced ? namespace : undefined, name, singular };
    if (await hasEvents(log, objectStream(cluster, storage, object.namespace, name))) found.push(object);
  }
  return found;
}

type Named = ObjectName & { singular: string };

async function hasEvents(log: EventLog, stream: string): Promise<boolean> {
  for await (const page of log.readStream(stream, { limit: 1 })) return page.length > 0;
  return false;
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
  const { resourceKinds } = await import('#libs/kube-api');
  const kindOf = new Map(resourceKinds.filter(({ served }) => served).map(({ storage, singular }) => [storage as string, singular]));
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
