import { InvalidArgument } from '../invalid-request';
import type { WireStreamIdentifier } from './messages';

/** The metadata stream of a stream without a name. */
export const NO_NAME = '$$';

export function streamName(identifier: WireStreamIdentifier | undefined): string {
  const bytes = identifier?.stream_name;
  if (!bytes || bytes.length === 0) throw new InvalidArgument('a stream name is required');
  // What is not UTF-8 becomes U+FFFD, as on a real server.
  return Buffer.from(bytes).toString('utf8');
}

export function streamIdentifier(name: string): WireStreamIdentifier {
  return { stream_name: Buffer.from(name, 'utf8') };
}
