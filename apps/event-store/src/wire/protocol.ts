import { join } from 'node:path';
import type { GrpcObject, ServiceClientConstructor, ServiceDefinition } from '@grpc/grpc-js';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

interface MessageType {
  serialize(value: object): Buffer;
}

/** The service definitions and message types of the protocol, from the .proto files beside this folder. */
export interface Protocol {
  services: Record<'streams' | 'gossip' | 'serverFeatures', ServiceDefinition>;
  /** Encodes a message of the package `event_store.client`. */
  encode(
    type: 'WrongExpectedVersion' | 'StreamDeleted' | 'AccessDenied' | 'Timeout' | 'Unknown' | 'MaximumAppendSizeExceeded' | 'BadRequest',
    value: object,
  ): Buffer;
}

const FILES = ['streams.proto', 'gossip.proto', 'server-features.proto'];

/** Responses of reads may be encoded already: these are most of what the server sends. */
function withEncodedReads(streams: ServiceDefinition): ServiceDefinition {
  const { Read: read } = streams;
  const responseSerialize = (message: object): Buffer => (Buffer.isBuffer(message) ? message : read!.responseSerialize(message));
  return { ...streams, Read: { ...read!, responseSerialize } };
}

export function loadProtocol(): Protocol {
  const definitions = loadSync(FILES, {
    includeDirs: [join(__dirname, '..', 'proto')],
    keepCase: true,
    longs: String,
    enums: Number,
    oneofs: true,
  });
  const root = loadPackageDefinition(definitions);
  const service = (path: string): ServiceDefinition =>
    (path.split('.').reduce((at: GrpcObject, name) => at[name] as GrpcObject, root) as unknown as ServiceClientConstructor).service;
  return {
    services: {
      streams: withEncodedReads(service('event_store.client.streams.Streams')),
      gossip: service('event_store.client.gossip.Gossip'),
      serverFeatures: service('event_store.client.server_features.ServerFeatures'),
    },
    encode: (type, value) => (definitions[`event_store.client.${type}`] as unknown as MessageType).serialize(value),
  };
}
