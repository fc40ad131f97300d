import { isUtf8 } from 'node:buffer';
import type { ExpectedRevision } from '#libs/event-log';
import { InvalidArgument } from '../invalid-request';
import type { WireExpectation, WireStreamIdentifier } from './messages';

export function streamName(identifier: WireStreamIdentifier | undefined): string {
  const bytes = identifier?.stream_name;
  if (!bytes || bytes.length === 0) throw new InvalidArgument('a stream name is required');
  if (!isUtf8(bytes)) throw new InvalidArgument('a stream name must be UTF-8');
  return Buffer.from(bytes).toString('utf8');
}

export function streamIdentifier(name: string): WireStreamIdentifier {
  return { stream_name: Buffer.from(name, 'utf8') };
}

/** @throws InvalidArgument when the message names none */
export function expectedRevision(options: WireExpectation): ExpectedRevision {
  const revision = options.revision ?? options.stream_position;
  if (revision !== undefined) return Number(revision);
  if (options.no_stream) return 'no_stream';
  if (options.any) return 'any';
  if (options.stream_exists) return 'stream_exists';
  throw new InvalidArgument('an expected revision is required');
}
