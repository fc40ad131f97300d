import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { releaseKinds } from '#libs/kube-api';
import { parseObjectName } from '../log/object-name';
import type { ScenarioTarget } from './target';

/** One field of one object (or list) and what it should be. */
export interface Expectation {
  /** `pod/high`, `list pods tier=low`. */
  subject: string;
  field: string;
  wanted: Json;
}

/** What is expected of each subject. */
export function expectationsOf(expected: JsonObject): { subject: string; expectations: Expectation[] }[] {
  return Object.entries(expected).map(([subject, wanted]) => {
    const fields = isObject(wanted) ? wanted : { '': wanted ?? true };
    return { subject, expectations: Object.entries(fields).map(([field, value]) => ({ subject, field, wanted: value ?? null })) };
  });
}

/** Short names of the fields that are asked for most. */
const aliases: Record<string, string> = {
  node: 'spec.nodeName',
  nominated: 'status.nominatedNodeName',
  phase: 'status.phase',
  priority: 'spec.priority',
  policy: 'spec.preemptionPolicy',
};

/** `exists`; `condition.TYPE` (its status), `reason.TYPE`, `message.TYPE`; of a list its counts; else a path into the object. */
export async function readField({ subject, field }: Expectation, target: ScenarioTarget): Promise<Json> {
  if (subject.startsWith('list ')) return listField(await select(subject, target), field);
  const found = await target.get(await parseObjectName(subject));
  if (field === '' || field === 'exists') return found !== undefined;
  return found ? objectField(found, field) : null;
}

function objectField(found: KubeObject, field: string): Json {
  const [head = '', ...rest] = field.split('.');
  const ofCondition = { condition: 'status', reason: 'reason', message: 'message' }[head];
  if (ofCondition) {
    const conditions = (found.status?.conditions ?? []) as JsonObject[];
    return conditions.find(({ type }) => type === rest.join('.'))?.[ofCondition] ?? null;
  }
  return at(found, field);
}

/** `list pods tier=low node=node-1`, `list shop/deployments`: labels, and fields by path or short name. */
async function select(subject: string, target: ScenarioTarget): Promise<KubeObject[]> {
  const [place = '', ...wanted] = subject.split(/\s+/).slice(1);
  const slash = place.indexOf('/');
  const kind = releaseKinds.kindOf(place.slice(slash + 1));
  const namespace = kind.namespaced ? (slash < 0 ? 'default' : place.slice(0, slash)) : undefined;
  const pairs = wanted.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
  const objects = await target.list(kind.storage, namespace);
  return objects.filter((object) => pairs.every(([key, value]) => selected(object, key, value)));
}

function selected(object: KubeObject, key: string, value: string): boolean {
  const isField = key in aliases || /^(spec|status|metadata|involvedObject)\./.test(key) || key === 'reason';
  return isField ? String(at(object, key)) === value : object.metadata.labels?.[key] === value;
}

const counts: Record<string, (object: KubeObject) => boolean> = {
  count: () => true,
  bound: ({ spec }) => Boolean(spec?.nodeName),
  pending: ({ spec }) => !spec?.nodeName,
  nominated: ({ status }) => Boolean(status?.nominatedNodeName),
  terminating: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  running: ({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp,
  available: ({ status, metadata }) =>
    !metadata.deletionTimestamp &&
    ((status?.conditions ?? []) as JsonObject[]).some(({ type, status: value }) => type === 'Ready' && value === 'True'),
};

function listField(objects: KubeObject[], field: string): Json {
  const counted = counts[field === '' ? 'count' : field];
  return counted ? objects.filter(counted).length : objects.map((object) => objectField(object, field));
}

function at(object: KubeObject, path: string): Json {
  let value: unknown = object;
  for (const key of (aliases[path] ?? path).split('.'))
    value = isObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
  return (value ?? null) as Json;
}

/** Equal (`none`: absent); or, in words: `not X`, `at least N`, `at most N`, `~ part of a text`. */
export function matches(value: Json, wanted: Json): boolean {
  if (typeof wanted === 'boolean' && typeof value === 'string') return value.toLowerCase() === String(wanted);
  if (typeof wanted !== 'string') return JSON.stringify(value) === JSON.stringify(wanted);
  const [, word, rest = ''] = /^(not |at least |at most |~)\s*(.*)$/s.exec(wanted) ?? [];
  if (word === undefined) return wanted === 'none' ? value === null : value === wanted;
  if (word === '~') return typeof value === 'string' && value.includes(rest);
  if (word === 'not ') return rest === 'none' ? value !== null : String(value) !== rest;
  return typeof value === 'number' && (word === 'at least ' ? value >= Number(rest) : value <= Number(rest));
}

/** The field as a reader sees it in the story: `nominated node-1`, `2 running`, `exists`. */
export function shown({ subject, field }: Expectation, value: Json): string {
  const text = show(value);
  if (field === '' || field === 'exists') return value === true ? 'exists' : value === false ? 'does not exist' : text;
  if (subject.startsWith('list ')) return field === 'count' ? text : field in counts ? `${text} ${field}` : `${field} ${text}`;
  const [head = '', ...rest] = field.split('.');
  return head in { condition: 0, reason: 0, message: 0 }
    ? `${rest.join('.')}${head === 'condition' ? '' : ` ${head}`} ${text}`
    : `${field} ${text}`;
}

/** As `shown`; of a text that was searched, what was found in it. */
export function shownMet(expectation: Expectation, value: Json): string {
  const { wanted } = expectation;
  const part = typeof wanted === 'string' && wanted.startsWith('~') ? wanted.slice(1).trim() : undefined;
  return part === undefined ? shown(expectation, value) : shown(expectation, `says "${part}"`);
}

function show(value: Json): string {
  return value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}
