import { bytesWire, ProtobufError, ProtobufReader } from './reader';

/** `application/vnd.kubernetes.protobuf`: four bytes, then a runtime.Unknown that names the kind and holds its message. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: ProtobufReader;
}

const magic = [0x6b, 0x38, 0x73, 0x00];

/** @throws ProtobufError with upstream's text */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (magic.some((byte, index) => bytes[index] !== byte)) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const unknown = new ProtobufReader(bytes, magic.length);
  let apiVersion = '';
  let kind = '';
  let message = new ProtobufReader(bytes, bytes.length);
  while (!unknown.done) {
    const { number, wire } = unknown.tag();
    if (number === 1 && wire === bytesWire) [apiVersion, kind] = readTypeMeta(unknown.part());
    else if (number === 2 && wire === bytesWire) message = unknown.part();
    else unknown.skip(wire);
  }
  return { apiVersion, kind, message };
}

function readTypeMeta(reader: ProtobufReader): [apiVersion: string, kind: string] {
  const meta: [string, string] = ['', ''];
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if ((number === 1 || number === 2) && wire === bytesWire) meta[number - 1] = reader.part().rest().toString('utf8');
    else reader.skip(wire);
  }
  return meta;
}
