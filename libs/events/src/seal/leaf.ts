import { hash } from 'node:crypto';
import type { JsonObject } from '#libs/kernel';
import type { Hash } from './merkle-range';

/**
 * What a seal takes of an event: its place in the log and in its stream, its name, and the digest of what it says. Two events have the
 * same leaf only when all of these are the same: the lengths tell where a name ends.
 */
export function leafOf(event: { id: string; stream: string; revision: number; position: number; metadata: JsonObject }): Hash {
  const { id, stream, revision, position, metadata } = event;
  const digest = String(metadata.digest ?? '');
  return hash('sha256', `\0${position}\n${revision}\n${stream.length}\n${id.length}\n${stream}${id}${digest}`, 'base64url');
}
