import { isObject } from '#libs/kernel';
import type { Revision } from '../port';

/** What stream metadata says about which events of a stream can still be read. */
export interface StreamSettings {
  softDeleted: boolean;
  /** First revision that may be read (`$tb`). */
  truncateBefore?: Revision;
  maxCount?: number;
  maxAgeMs?: number;
}

/** `$tb` of a soft delete is the largest int64, which JSON numbers cannot hold: everything from 2^53 on means deleted. */
const DELETED_FROM = 2 ** 53;
export const SOFT_DELETE_DIGITS = '9223372036854775807';

export function metadataStreamOf(stream: string): string {
  return `$$${stream}`;
}

/** The stream that a metadata stream speaks of, or undefined for any other stream. */
export function describedBy(stream: string): string | undefined {
  return stream.startsWith('$$') ? stream.slice(2) : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Anything that is not understood counts as absent, as on a real server: bad metadata must not make a stream unreadable. */
export function settingsOf(metadata: unknown): StreamSettings {
  if (!isObject(metadata)) return { softDeleted: false };
  const truncateBefore = positive(metadata['$tb']);
  const maxAge = positive(metadata['$maxAge']);
  return {
    softDeleted: truncateBefore !== undefined && truncateBefore >= DELETED_FROM,
    truncateBefore,
    maxCount: positive(metadata['$maxCount']),
    maxAgeMs: maxAge === undefined ? undefined : maxAge * 1000,
  };
}

/** The metadata with another `$tb`, written as digits because it may exceed 2^53. */
export function withTruncateBefore(metadata: unknown, digits: string): string {
  const kept = isObject(metadata) ? Object.entries(metadata).filter(([key]) => key !== '$tb') : [];
  const members = kept.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${[...members, `"$tb":${digits}`].join(',')}}`;
}

/** First revision that a reader may see; beyond the head when there is none. */
export function firstReadable(settings: StreamSettings | undefined, head: Revision): Revision {
  if (!settings) return 0;
  const byCount = settings.maxCount === undefined ? 0 : head + 1 - settings.maxCount;
  return Math.max(0, byCount, settings.truncateBefore ?? 0);
}
