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
const jobs = '/apis/batch/v1/namespaces/default/jobs';
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const held = '"finalizers":["example.org/hold"]';
const template = '"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}';
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
  {
    name: 'a ReplicationController that something holds',
    status: 201,
    request: { method: 'POST', path: controllers, body: `{"metadata":{"name":"held",${held}},"spec":{${template}}}` },
  },
  {
    name: 'a prefix of names that no write of the whole object may keep',
    status: 200,
    request: { method: 'PUT', path: `${controllers}/held/status`, body: `{"metadata":{"name":"held","generateName":" 1",${held}}}` },
  },
  { name: 'its deletion, which waits', status: 200, request: { method: 'DELETE', path: `${controllers}/held` } },
  {
    name: 'an update by which the deletion ends, without the prefix',
    status: 200,
    request: { method: 'PUT', path: `${controllers}/held`, body: `{"metadata":{"name":"held"},"spec":{${template}}}` },
  },
  {
    name: 'a Job with labels of its own',
    status: 201,
    request: {
      method: 'POST',
      path: jobs,
      body: '{"metadata":{"name":"j","labels":{"a":"b"}},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}',
    },
  },
  {
    name: 'a write to its status that takes its labels, so that it has those of its template, and holds it',
    status: 200,
    request: { method: 'PUT', path: `${jobs}/j/status`, body: `{"metadata":{"name":"j",${held}}}` },
  },
  {
    name: 'a PriorityClass that something holds',
    status: 201,
    request: { method: 'POST', path: classes, body: `{"metadata":{"name":"p",${held}},"value":1,"globalDefault":true}` },
  },
  { name: 'its deletion, which waits as well', status: 200, request: { method: 'DELETE', path: `${classes}/p` } },
  {
    name: 'an update by which the deletion ends, and which would have made it the default no more',
    status: 200,
    request: { method: 'PUT', path: `${classes}/p`, body: '{"metadata":{"name":"p"},"value":1,"globalDefault":false}' },
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
