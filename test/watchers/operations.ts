import type { Collection } from './collection';
import type { Stored } from './history';
import { tiers, type WatchedKind } from './kinds';
import type { Random } from './random';

export interface Operation {
  collection: Collection;
  method: string;
  path: string;
  /** Of the object; `*` for those of a collection. */
  key: string;
  headers: Record<string, string>;
  body?: string;
  /** It is not meant to change anything: a dry run. */
  isDry?: boolean;
}

export const namespaces = ['default', 'kube-public', 'kube-node-lease'];
const finalizer = 'example.org/hold';
const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const managers = ['one', 'two'];

type Make = (place: Place, random: Random) => Omit<Operation, 'collection' | 'key'>;

/** An object, whether it is there or not. */
interface Place {
  collection: Collection;
  kind: WatchedKind;
  namespace: string | undefined;
  name: string;
  path: string;
  known: Stored | undefined;
}

/** Draws operations; what is there follows from the histories. */
export class Operations {
  constructor(
    private readonly collections: readonly Collection[],
    private readonly random: Random,
  ) {}

  next(): Operation {
    const { random } = this;
    const collection = random.pick(this.collections);
    const { kind } = collection;
    const namespace = kind.namespaced ? random.pick(namespaces) : undefined;
    if (random.oneIn(60)) return collectionDeletion(collection, namespace, random);
    const name = `x${random.below(kind.names)}`;
    const known = collection.history.get(`${namespace ?? ''}/${name}`)?.object;
    return operationOn({ collection, kind, namespace, name, known, path: `${collection.pathIn(namespace)}/${name}` }, random);
  }

  /** Creates an object in each collection that nothing else touches. */
  fences(): Operation[] {
    return this.collections.map((collection) => {
      const place = fenceOf(collection);
      const body = JSON.stringify({ metadata: { name: place.name }, ...collection.kind.content(this.random, collection.root) });
      const path = collection.pathIn(place.namespace);
      return { collection, key: keyIn(place), method: 'POST', path, headers: json, body };
    });
  }

  /** Changes what `fences` has created: who is told of this has been told of everything before. */
  fence(collection: Collection, number: number): Operation {
    const place = fenceOf(collection);
    const body = JSON.stringify({ metadata: { annotations: { fence: String(number) } } });
    return {
      collection,
      key: keyIn(place),
      method: 'PATCH',
      path: `${collection.pathIn(place.namespace)}/${place.name}`,
      headers: merge,
      body,
    };
  }
}

function fenceOf({ kind, root }: Collection): { namespace: string | undefined; name: string } {
  return { namespace: kind.namespaced ? 'default' : undefined, name: `fence-${root.replaceAll(/\W/g, '')}` };
}

function keyIn({ namespace, name }: Pick<Place, 'namespace' | 'name'>): string {
  return `${namespace ?? ''}/${name}`;
}

/** What takes the objects with a label, or all of a namespace, a page of them at most. */
function collectionDeletion(collection: Collection, namespace: string | undefined, random: Random): Operation {
  const query = random.pick(['labelSelector=tier%3Dtin', 'labelSelector=tier%3Dgold&limit=3', 'fieldSelector=metadata.name%3Dx3']);
  return { collection, method: 'DELETE', path: `${collection.pathIn(namespace)}?${query}`, key: '*', headers: {} };
}

function operationOn(place: Place, random: Random): Operation {
  const { collection, known } = place;
  const made = known ? random.pick(waysOf(place, known, random))(place, random) : begin(place, random);
  const isDry = random.oneIn(25);
  const path = isDry ? `${made.path}${made.path.includes('?') ? '&' : '?'}dryRun=All` : made.path;
  return { collection, key: keyIn(place), ...made, path, isDry };
}

function begin(place: Place, random: Random): ReturnType<Make> {
  if (random.oneIn(6)) return deletion(place, random);
  if (random.oneIn(6) && isApplied(place)) return application(place, random);
  return creation(place, random, random.oneIn(6) ? [finalizer] : []);
}

function waysOf(place: Place, { metadata, spec }: Stored, random: Random): Make[] {
  const { kind } = place;
  if (metadata.deletionTimestamp !== undefined) return [release, deletion, mergePatch];
  const ways: Make[] = [mergePatch, mergePatch, relabel, relabel, pointers, replacement, deletion, deletion];
  if (isApplied(place)) ways.push(application);
  if (random.oneIn(4)) ways.push(hold, wrong, repetition);
  if (kind.status) ways.push(statusPatch);
  if (kind.isScalable) ways.push(scale);
  if (kind.isBound && !spec?.['nodeName']) ways.push(binding);
  return ways;
}

const metadataOf = ({ name }: Place, random: Random): Record<string, unknown> => {
  const tier = random.pick(tiers);
  return { name, ...(tier === null ? {} : { labels: { tier } }) };
};

/** Events of the newer API cannot be applied yet. */
function isApplied({ collection }: Place): boolean {
  return collection.root !== '/apis/events.k8s.io/v1';
}

function creation(place: Place, random: Random, finalizers: readonly string[]): ReturnType<Make> {
  const { kind, collection, namespace } = place;
  const metadata = { ...metadataOf(place, random), ...(finalizers.length > 0 ? { finalizers } : {}) };
  const body = JSON.stringify({ metadata, ...kind.content(random, collection.root) });
  return { method: 'POST', path: collection.pathIn(namespace), headers: json, body };
}

const application: Make = (place, random) => {
  const { kind, collection, path } = place;
  const apiVersion = collection.root.replace(/^\/apis?\//, '');
  const body = { apiVersion, kind: kind.kind, metadata: metadataOf(place, random), ...applied(place, random) };
  const query = `fieldManager=${random.pick(managers)}&force=true`;
  return { method: 'PATCH', path: `${path}?${query}`, headers: apply, body: JSON.stringify(body) };
};

/** What is frozen after a creation is not applied anew. */
function applied({ kind, collection, known }: Place, random: Random): Record<string, unknown> {
  if (!known) return kind.content(random, collection.root);
  return kind.resource === 'configmaps' ? { data: { a: String(random.below(3)) } } : {};
}

const mergePatch: Make = ({ kind, collection, path }, random) => {
  const body = JSON.stringify(kind.change(random, collection.root));
  return { method: 'PATCH', path, headers: random.oneIn(3) ? strategic : merge, body };
};

const relabel: Make = ({ path }, random) => {
  const body = JSON.stringify({ metadata: { labels: { tier: random.pick(tiers) } } });
  return { method: 'PATCH', path, headers: merge, body };
};

const pointers: Make = ({ path }, random) => {
  const operations = [
    { op: 'add', path: '/metadata/annotations', value: { n: String(random.below(3)) } },
    { op: 'add', path: '/metadata/labels', value: { tier: random.pick(['gold', 'tin']) } },
  ];
  return { method: 'PATCH', path, headers: jsonPatch, body: JSON.stringify(operations) };
};

/** An update, of the newest version, of an older one, or of any. */
const replacement: Make = ({ path, known }, random) => {
  const object = structuredClone(known as Stored);
  object.metadata.labels = { tier: random.pick(['gold', 'tin']) };
  const { resourceVersion, ...rest } = object.metadata;
  const version = random.pick([{ resourceVersion }, { resourceVersion: '1' }, {}]);
  return { method: 'PUT', path, headers: json, body: JSON.stringify({ ...object, metadata: { ...rest, ...version } }) };
};

const statusPatch: Make = ({ kind, collection, path }, random) => {
  const body = JSON.stringify({ status: kind.status?.(random, collection.root) });
  return { method: 'PATCH', path: `${path}/status`, headers: random.oneIn(2) ? strategic : merge, body };
};

const scale: Make = ({ path }, random) => {
  const body = JSON.stringify({ spec: { replicas: random.below(4) } });
  return { method: 'PATCH', path: `${path}/scale`, headers: merge, body };
};

const binding: Make = ({ path, name }, random) => {
  const body = JSON.stringify({ metadata: { name }, target: { kind: 'Node', name: `n${random.below(3)}` } });
  return { method: 'POST', path: `${path}/binding`, headers: json, body };
};

const hold: Make = ({ path }) => ({
  method: 'PATCH',
  path,
  headers: merge,
  body: JSON.stringify({ metadata: { finalizers: [finalizer] } }),
});

const release: Make = ({ path }) => ({ method: 'PATCH', path, headers: merge, body: JSON.stringify({ metadata: { finalizers: null } }) });

/** Refused: nobody is told. */
const wrong: Make = ({ path }) => ({
  method: 'PATCH',
  path,
  headers: merge,
  body: JSON.stringify({ metadata: { labels: { 'no label': '!' } } }),
});

/** Says what is so already: nobody is told. */
const repetition: Make = ({ path, known }) => ({
  method: 'PATCH',
  path,
  headers: merge,
  body: JSON.stringify({ metadata: { labels: known?.metadata.labels ?? null } }),
});

const deletion: Make = ({ path, kind }, random) => {
  const { method, headers } = { method: 'DELETE', headers: json };
  if (random.oneIn(10)) return { method, path, headers, body: JSON.stringify({ preconditions: { uid: 'another' } }) };
  const policy = random.pick(['', 'propagationPolicy=Background', 'propagationPolicy=Foreground', 'propagationPolicy=Orphan']);
  const grace = kind.isBound ? random.pick(['', 'gracePeriodSeconds=0', 'gracePeriodSeconds=0']) : '';
  return { method, path: `${path}?${[policy, grace].filter(Boolean).join('&')}`, headers: {} };
};
