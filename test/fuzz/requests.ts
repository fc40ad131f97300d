// Requests: each follows from the seed and its number alone.
import { oddNames } from '../odd-values.fixture';
import { bodyOf, deleteOptionsOf, mutated, objectOf, patchOf, patchTypes, type Body } from './bodies';
import { brokenBytes } from './broken';
import { Draw } from './draw';
import { accepts, methods, oddHeaders, otherPaths, readQueries, watchQueries, writeQueries } from './odd-parts';
import { recordedRequests } from './recorded';
import { targets, type Target } from './targets';

/** Where it is sent: one behind the other over HTTP/1.1, over HTTP/2, on a connection of its own. */
export type Lane = 'pipeline' | 'http2' | 'alone' | 'socket';

export interface FuzzRequest {
  index: number;
  lane: Lane;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  /** Goes in pieces. */
  isChunked: boolean;
  /** The object that it is about, where it is about one: the key under which its version is remembered. */
  key: string | undefined;
  /** What an answer means for the object. */
  effect: 'none' | 'read' | 'write' | 'delete' | 'many';
  /** It must have made an event when it is answered 201. */
  creates: boolean;
  /** Bytes in place of all this, on a connection of its own. */
  raw?: Buffer;
}

/** Namespaces that are there all the time. */
export const namespaces = ['default', 'fuzz'];
/** Objects of a kind that each connection has for itself: what it is told of them depends on nobody else. */
const namesOfLine = 4;

/** What goes over HTTP/2 has names of its own, and so has what goes alone. */
const streamLine = 90;
const aloneLine = 91;

const framing = new Set(['transfer-encoding', 'upgrade', 'expect']);

/** Kinds whose creation stores nothing. */
const isStored = ({ kind }: Target): boolean => kind.verbs.includes('list');

/**
 * Request number `index` of a seed.
 * @param lines connections over HTTP/1.1; the request goes to number `index % lines`
 */
export function requestOf(seed: number, index: number, lines: number): FuzzRequest {
  const draw = new Draw(seed, index);
  const isStream = draw.oneIn(30);
  const request = drawn(draw, index, isStream ? streamLine : index % lines);
  if (request.raw) return request;
  request.headers.push(['user-agent', `f/${index}`]);
  const accept = draw.of(accepts);
  if (accept !== undefined) request.headers.push(['accept', accept]);
  if (draw.oneIn(25)) request.headers.push(draw.of(oddHeaders));
  // Whatever changes how bytes are read may end the connection.
  if (request.headers.some(([name]) => framing.has(name))) request.lane = 'alone';
  else if (request.lane === 'pipeline' && isStream) request.lane = 'http2';
  request.isChunked = request.body !== undefined && draw.oneIn(12);
  // In no order with the others of its line: nobody can say how its object stands.
  if (request.lane !== 'pipeline') request.key = undefined;
  return request;
}

function plain(index: number, method: string, path: string): FuzzRequest {
  return {
    index,
    lane: 'pipeline',
    method,
    path,
    headers: [],
    body: undefined,
    isChunked: false,
    key: undefined,
    effect: 'none',
    creates: false,
  };
}

function drawn(draw: Draw, index: number, line: number): FuzzRequest {
  const way = draw.index(1_000);
  if (way < 20) return { ...plain(index, draw.oneIn(3) ? draw.of(methods) : 'GET', draw.of(otherPaths)), body: undefined };
  if (way < 22) return { ...plain(index, 'GET', watchPath(draw, line)), lane: 'alone' };
  if (way < 24) return { ...plain(index, 'GET', socketPath(draw, line)), lane: 'socket' };
  if (way < 28) return broken(draw, index);
  if (way < 78) return recorded(draw, index) ?? ofKind(draw, index, line);
  return ofKind(draw, index, line);
}

interface Place {
  target: Target;
  collection: string;
  namespace: string | undefined;
  name: string;
}

function placeOf(draw: Draw, line: number): Place {
  const all = targets();
  const target = draw.oneIn(6) ? (all.find(({ kind }) => kind.groupResource === 'pods') as Target) : draw.of(all);
  const { kind, root } = target;
  const namespace = kind.namespaced ? draw.of(namespaces) : undefined;
  const collection = namespace === undefined ? `${root}/${kind.resource}` : `${root}/namespaces/${namespace}/${kind.resource}`;
  return { target, collection, namespace, name: nameOf(target, line, draw) };
}

/** Some kinds want names of a form of their own. */
function nameOf({ kind }: Target, line: number, draw: Draw): string {
  const number = draw.index(namesOfLine);
  if (kind.resource === 'ipaddresses') return `10.99.${line}.${number}`;
  if (kind.resource === 'apiservices') return `v${number + 1}.n${line}.example.org`;
  return `n${line}x${number}`;
}

function watchPath(draw: Draw, line: number): string {
  const { collection, name, target } = placeOf(draw, line);
  if (draw.oneIn(20)) return `${target.root}/watch/${target.kind.resource}?timeoutSeconds=1`;
  const query = draw.of(watchQueries);
  return `${collection}${draw.oneIn(6) ? `/${name}` : ''}?watch=${draw.of(['1', 'true', 'x'])}&timeoutSeconds=1&${query}`;
}

function socketPath(draw: Draw, line: number): string {
  if (draw.oneIn(2)) return watchPath(draw, line);
  const below = draw.of([
    'exec?command=sh&stdin=true&stdout=true',
    'attach?stdout=true',
    'portforward?ports=80',
    'log?follow=true',
    'exec',
    'portforward',
  ]);
  return `/api/v1/namespaces/default/pods/n${line}x${draw.index(namesOfLine)}/${below}`;
}

function withQuery(path: string, queries: readonly string[], draw: Draw, often: number): string {
  return draw.oneIn(often) ? `${path}?${draw.of(queries)}` : path;
}

function ofKind(draw: Draw, index: number, line: number): FuzzRequest {
  const place = placeOf(draw, line);
  const { target, collection, namespace, name } = place;
  const { kind } = target;
  const isOddNamed = draw.oneIn(30);
  const inPath = isOddNamed ? draw.of(oddNames) : name;
  const path = `${collection}/${inPath}`;
  const key = isOddNamed ? undefined : `${kind.storage}/${namespace ?? ''}/${name}`;
  const subresource = kind.subresources.length > 0 && draw.oneIn(5) ? `/${draw.of(kind.subresources).name}` : '';
  const at = (method: string, where: string, effect: FuzzRequest['effect']): FuzzRequest => ({
    ...plain(index, method, where),
    key,
    effect,
  });
  const sent = (request: FuzzRequest, { bytes, type }: Body): FuzzRequest => ({
    ...request,
    body: bytes,
    headers: type === undefined ? [] : [['content-type', type]],
  });
  const way = draw.index(100);
  if (way < 26) return creation(draw, index, place);
  if (way < 36)
    return sent(at('PUT', withQuery(path + subresource, writeQueries, draw, 6), 'write'), bodyOf(objectOf(target, name, draw), kind, draw));
  if (way < 56) {
    const patch = patchOf(target, name, draw);
    const where =
      patch.type === patchTypes.apply && draw.oneIn(3)
        ? `${path}${subresource}?fieldManager=fuzz&force=true`
        : withQuery(path + subresource, writeQueries, draw, 4);
    return sent(at('PATCH', where, 'write'), patch);
  }
  if (way < 66) {
    const request = at('DELETE', withQuery(path, writeQueries, draw, 3), 'delete');
    return draw.oneIn(3) ? sent(request, deleteOptionsOf(draw)) : request;
  }
  if (way < 68) {
    const some = [
      `fieldSelector=metadata.name%3D${name}`,
      `fieldSelector=metadata.name%3D${name}&limit=1`,
      'labelSelector=nosuch',
      'labelSelector=a,,',
    ];
    return { ...at('DELETE', `${collection}?${draw.of(some)}`, 'many'), key };
  }
  if (way < 86) return at('GET', withQuery(path + subresource, readQueries, draw, 6), subresource === '' ? 'read' : 'none');
  if (way < 96) return at('GET', withQuery(collection, readQueries, draw, 2), 'none');
  if (way < 98) return at('GET', withQuery(`${target.root}/${kind.resource}`, readQueries, draw, 2), 'none');
  return at(draw.of(methods), withQuery(path + subresource, [...readQueries, ...writeQueries], draw, 2), 'many');
}

function creation(draw: Draw, index: number, { target, collection, namespace, name }: Place): FuzzRequest {
  const { kind } = target;
  const object = objectOf(target, name, draw);
  const isGenerated = draw.oneIn(300);
  if (isGenerated) {
    const { name: _, ...metadata } = object.metadata as Record<string, string>;
    object.metadata = { ...metadata, generateName: `${name}-` };
  }
  const { bytes, type } = bodyOf(object, kind, draw);
  const below = kind.subresources.filter(({ verbs }) => verbs.includes('create'));
  const isBelow = below.length > 0 && draw.oneIn(5);
  const path = isBelow ? `${collection}/${name}/${draw.of(below).name}` : collection;
  const isKept = isStored(target) && !isBelow;
  return {
    ...plain(index, 'POST', withQuery(path, writeQueries, draw, 6)),
    headers: type === undefined ? [] : [['content-type', type]],
    body: bytes,
    key: `${kind.storage}/${namespace ?? ''}/${name}`,
    effect: isGenerated || !isKept ? 'many' : 'write',
    creates: isKept,
  };
}

/** Has a connection of its own. */
function broken(draw: Draw, index: number): FuzzRequest {
  const request = ofKind(draw, index, aloneLine);
  request.headers.push(['user-agent', `f/${index}`]);
  return { ...plain(index, '', ''), lane: 'alone', raw: brokenBytes(draw, request), effect: 'many' };
}

/** What a client of the real server sent, with some of its bytes changed. */
function recorded(draw: Draw, index: number): FuzzRequest | undefined {
  const all = recordedRequests();
  if (all.length === 0) return undefined;
  const { method, path, contentType, body } = draw.of(all);
  return {
    ...plain(index, method, draw.oneIn(4) ? withQuery(path.replace(/\?.*/, ''), [...readQueries, ...writeQueries], draw, 1) : path),
    headers: contentType === undefined ? [] : [['content-type', contentType]],
    body: body && draw.oneIn(2) ? mutated(body, draw) : body,
    effect: 'many',
  };
}
