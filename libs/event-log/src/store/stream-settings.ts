import type { Revision } from '../port';
import { readMetadata, writeMetadata, type MetadataMember, type MetadataValue } from './metadata-json';

/** Who may do what with a stream, by names of users and groups; absent: as without the list. */
export interface StreamAcl {
  $r?: readonly string[];
  $w?: readonly string[];
  $d?: readonly string[];
  $mr?: readonly string[];
  $mw?: readonly string[];
}

/** What stream metadata says about a stream. */
export interface StreamSettings {
  softDeleted: boolean;
  /** First revision that may be read (`$tb`). */
  truncateBefore?: bigint;
  maxCount?: bigint;
  maxAgeMs?: number;
  acl?: StreamAcl;
}

const INT64_MAX = 2n ** 63n - 1n;
/** `$tb` of a soft delete. */
export const SOFT_DELETE_DIGITS = String(INT64_MAX);
/** Longest span of .NET in seconds: longer ones make metadata unreadable there. */
const SPAN_SECONDS_MAX = 922_337_203_685n;

const NONE: StreamSettings = { softDeleted: false };
/** Of every metadata stream: only its last event counts. */
const OF_METADATA_STREAMS: StreamSettings = { softDeleted: false, maxCount: 1n };

export function metadataStreamOf(stream: string): string {
  return `$$${stream}`;
}

/** The stream that a metadata stream speaks of, or undefined for any other stream. */
export function describedBy(stream: string): string | undefined {
  return stream.startsWith('$$') ? stream.slice(2) : undefined;
}

/** Something of another type than it must have: all of the metadata count for nothing then. */
class Unreadable extends Error {}

function int64(value: MetadataValue): bigint {
  if (value.kind !== 'integer') throw new Unreadable();
  const integer = BigInt(value.text.replace(/^\+/, ''));
  if (integer > INT64_MAX || integer < -INT64_MAX - 1n) throw new Unreadable();
  return integer;
}

function seconds(value: MetadataValue): bigint {
  const integer = int64(value);
  if (integer > SPAN_SECONDS_MAX || integer < -SPAN_SECONDS_MAX) throw new Unreadable();
  return integer;
}

function roles(value: MetadataValue): string[] {
  if (value.kind === 'string') return [value.value];
  if (value.kind !== 'array') throw new Unreadable();
  return value.items.map((item) => {
    if (item.kind !== 'string') throw new Unreadable();
    return item.value;
  });
}

const ACL_KEYS = new Set(['$r', '$w', '$d', '$mr', '$mw']);

function aclOf(value: MetadataValue): StreamAcl {
  if (value.kind !== 'object') throw new Unreadable();
  const acl: Record<string, readonly string[]> = {};
  for (const [key, names] of value.members) {
    if (!ACL_KEYS.has(key)) throw new Unreadable();
    acl[key] = roles(names);
  }
  return acl;
}

function applied(settings: StreamSettings, name: string, value: MetadataValue): void {
  switch (name) {
    case '$maxCount': {
      const count = int64(value);
      settings.maxCount = count > 0n ? count : undefined;
      return;
    }
    case '$maxAge': {
      const age = seconds(value);
      settings.maxAgeMs = age > 0n ? Number(age) * 1000 : undefined;
      return;
    }
    case '$tb': {
      const before = int64(value);
      settings.truncateBefore = before >= 0n ? before : undefined;
      return;
    }
    case '$cacheControl':
      seconds(value);
      return;
    case '$tmp':
      if (value.kind !== 'literal' || (value.value !== 'true' && value.value !== 'false')) throw new Unreadable();
      return;
    case '$acl':
      settings.acl = aclOf(value);
  }
}

/** Of metadata as they are stored. One wrong value makes all of them void, as on a real server. */
export function settingsOf(text: string): StreamSettings {
  const members = readMetadata(text);
  if (!members) return NONE;
  const settings: StreamSettings = { softDeleted: false };
  try {
    for (const [name, value] of members) applied(settings, name, value);
  } catch (error) {
    if (error instanceof Unreadable) return NONE;
    throw error;
  }
  settings.softDeleted = settings.truncateBefore === INT64_MAX;
  return settings;
}

/** What holds for a metadata stream, whatever is written of it. */
export function settingsOfMetadataStream(): StreamSettings {
  return OF_METADATA_STREAMS;
}

/** The metadata with another `$tb`; undefined when they are not JSON. */
export function withTruncateBefore(text: string, digits: string): string | undefined {
  const members = readMetadata(text.replace(/^\ufeff/, ''), true);
  if (!members) return undefined;
  const value: MetadataValue = { kind: 'integer', text: digits };
  const kept = new Map<string, MetadataMember>(members.map((member) => [member[0], member]));
  kept.set('$tb', ['$tb', value]);
  return writeMetadata([...kept.values()]);
}

/** First revision that a reader may see, exactly; beyond the head when there is none. */
export function lowestReadable(settings: StreamSettings | undefined, head: Revision): bigint {
  if (!settings) return 0n;
  const byCount = settings.maxCount === undefined ? 0n : BigInt(head) + 1n - settings.maxCount;
  const byTruncation = settings.truncateBefore ?? 0n;
  const larger = byCount > byTruncation ? byCount : byTruncation;
  return larger > 0n ? larger : 0n;
}

/** As `lowestReadable`; what is beyond all revisions that a number can hold is the largest of these. */
export function firstReadable(settings: StreamSettings | undefined, head: Revision): Revision {
  const lowest = lowestReadable(settings, head);
  return lowest > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(lowest);
}
