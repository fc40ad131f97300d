import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingText, verify } from '#libs/audit';
import { createMemoryLog } from '#libs/event-log';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { ApiUnderTest, type Sent } from '../api-under-test.fixture';

// Each was found by fuzzing: the API takes it, as the real server does, and verify took it for a write that nobody could have made.

const log = createMemoryLog();
let api: ApiUnderTest;
beforeAll(async () => {
  api = await ApiUnderTest.start(log);
});
afterAll(() => api.close());

const json = { 'content-type': 'application/json' };
const services = '/api/v1/namespaces/default/services';
const controllers = '/api/v1/namespaces/default/replicationcontrollers';
const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const slice = (endpoint: object): string =>
  JSON.stringify({ metadata: { name: 's' }, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.9'], ...endpoint }], ports: [] });

const found: { name: string; status: number; request: Sent }[] = [
  {
    name: 'a Service that comes into being by its status, and is given no address',
    status: 201,
    request: {
      method: 'PUT',
      path: `${services}/s/status`,
      body: '{"metadata":{"name":"s"},"spec":{"clusterIP":"10.96.77.8","clusterIPs":["10.96.77.8"],"ports":[{"port":80}]}}',
    },
  },
  {
    name: 'a name that begins as generateName says, and was not drawn',
    status: 201,
    request: { method: 'POST', path: '/api/v1/namespaces', body: '{"metadata":{"name":"same","generateName":"same"}}' },
  },
  { name: 'an EndpointSlice', status: 201, request: { method: 'POST', path: slices, body: slice({}) } },
  {
    name: 'fields of an EndpointSlice that are dropped, and raise its generation',
    status: 200,
    request: { method: 'PUT', path: `${slices}/s`, body: slice({ deprecatedTopology: { a: 'b' } }) },
  },
  {
    name: 'a ReplicationController whose labels are those of its template',
    status: 201,
    request: {
      method: 'POST',
      path: controllers,
      body: '{"metadata":{"name":"rc"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}',
    },
  },
  {
    name: 'a write to its status that has neither labels nor template',
    status: 200,
    request: { method: 'PUT', path: `${controllers}/rc/status`, body: '{"metadata":{"name":"rc"},"spec":{},"status":{"replicas":0}}' },
  },
];

describe('what the API takes', () => {
  it.each(found)('is not accused afterwards: $name', async ({ status, request }) => {
    const answer = await api.send({ ...request, headers: json });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
    const report = await verify({ log, cluster: 'local', controllers: await controllerFactory() });
    expect(report.findings.map(findingText)).toEqual([]);
  });
});
