import { randomUUID } from 'node:crypto';
import type { GrpcCall } from './grpc/grpc-call';

const STREAMS = 'event_store.client.streams.streams';

/** Only what is served: clients take a method that is not listed for one of a server that lacks it. */
const METHODS = [
  { service_name: STREAMS, method_name: 'read', features: ['position', 'events'] },
  { service_name: STREAMS, method_name: 'append', features: [] },
  { service_name: STREAMS, method_name: 'batchappend', features: ['deadline_duration'] },
  { service_name: STREAMS, method_name: 'delete', features: [] },
  { service_name: STREAMS, method_name: 'tombstone', features: [] },
  { service_name: 'event_store.client.gossip.gossip', method_name: 'read', features: [] },
  { service_name: 'event_store.client.server_features.serverfeatures', method_name: 'getsupportedmethods', features: [] },
];

/** The release whose streams protocol and limits this server keeps to. */
const SERVER_VERSION = '24.10.0';

export function supportedMethods(): object {
  return { methods: METHODS, event_store_server_version: SERVER_VERSION };
}

const LEADER = 8;
const TICKS_EPOCH = 621_355_968_000_000_000n;

/** A cluster of one, at the address by which the caller found it. */
export function gossip(port: () => number): (request: object, call: GrpcCall) => object {
  const instance_id = { string: randomUUID() };
  return (_request, { headers }) => {
    const address = String(headers[':authority'] ?? '').replace(/:\d+$/, '') || 'localhost';
    const time_stamp = String(BigInt(Date.now()) * 10_000n + TICKS_EPOCH);
    return { members: [{ instance_id, time_stamp, state: LEADER, is_alive: true, http_end_point: { address, port: port() } }] };
  };
}
