import type { Json } from '#libs/kernel';
import type { Definition } from '../schema';
import { encodeMessage } from './encode-message';
import { MessageBuilder } from './message-builder';
import { bytesWire } from './reader';

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** A message as `application/vnd.kubernetes.protobuf`: four bytes, then a runtime.Unknown that names the kind and holds it. */
export function writeEnvelope(apiVersion: string, kind: string, message: Buffer): Buffer {
  const builder = new MessageBuilder();
  for (const number of [4, 3]) {
    builder.text('');
    builder.tag(number, bytesWire);
  }
  builder.bytes(message);
  builder.tag(2, bytesWire);
  const type = new MessageBuilder();
  type.text(kind);
  type.tag(2, bytesWire);
  type.text(apiVersion);
  type.tag(1, bytesWire);
  builder.bytes(type.finish());
  builder.tag(1, bytesWire);
  return Buffer.concat([magic, builder.finish()]);
}

/**
 * The message of a list: its metadata and its items, which are messages already.
 * @param of definition of the metadata
 */
export function encodeList(of: Definition, metadata: Record<string, unknown>, items: readonly Buffer[]): Buffer {
  const parts = [messageField(1, encodeMessage(of, metadata as Record<string, Json>))];
  for (const item of items) parts.push(head(2, item.length), item);
  return Buffer.concat(parts);
}

/** One length-delimited field. */
export function messageField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([head(number, bytes.length), bytes]);
}

function head(number: number, length: number): Buffer {
  const builder = new MessageBuilder();
  builder.varint(length);
  builder.tag(number, bytesWire);
  return builder.finish();
}

/** One frame of a watch: its length in four bytes, then a WatchEvent around the object in its envelope. */
export function watchFrame(type: string, object: Buffer): Buffer {
  const event = Buffer.concat([messageField(1, Buffer.from(type)), messageField(2, messageField(1, object))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
