import { join } from 'node:path';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import type { Method } from '../grpc/methods';

interface MessageType {
  serialize(value: object): Buffer;
}

/** The methods and message types of the protocol, from the .proto files beside this folder. */
export interface Protocol {
  /** @param path `streams.Streams/Read`, below `event_store.client.` */
  method(path: string): Method;
  /** Encodes a message of the package `event_store.client`. */
  encode(
    type: 'WrongExpectedVersion' | 'StreamDeleted' | 'AccessDenied' | 'Timeout' | 'Unknown' | 'MaximumAppendSizeExceeded' | 'BadRequest',
    value: object,
  ): Buffer;
  /** Encodes a `ReadResp`. Events are not written with it: see read-response.ts. */
  readResponse(value: object): Buffer;
}

const FILES = ['streams.proto', 'gossip.proto', 'server-features.proto'];
const PACKAGE = 'event_store.client';

export function loadProtocol(): Protocol {
  const definitions = loadSync(FILES, {
    includeDirs: [join(__dirname, '..', 'proto')],
    keepCase: true,
    longs: String,
    enums: Number,
    oneofs: true,
  });
  const method = (path: string): Method => {
    const [service, name = ''] = path.split('/');
    return (definitions[`${PACKAGE}.${service}`] as ServiceDefinition)[name] as Method;
  };
  const { responseSerialize } = method('streams.Streams/Read');
  return {
    method,
    encode: (type, value) => (definitions[`${PACKAGE}.${type}`] as unknown as MessageType).serialize(value),
    readResponse: responseSerialize,
  };
}
