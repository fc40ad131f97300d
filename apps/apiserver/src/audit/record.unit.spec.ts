import { expect, it } from 'vitest';
import { auditLine, type AuditRecord } from './record';

const record: AuditRecord = {
  level: 'Metadata',
  auditID: 'an-id',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/default/pods?watch=1&limit=5',
  verb: 'list',
  user: { username: 'jane', groups: ['a', 'b"c'] },
  sourceIPs: ['10.1.2.3', '127.0.0.1'],
  userAgent: 'tester/1',
  objectRef: { resource: 'pods', namespace: 'default', name: '', apiGroup: '', apiVersion: 'v1', subresource: '' },
  responseStatus: { metadata: {}, code: 200 },
  receivedAt: Date.UTC(2026, 10, 20, 7, 32, 25, 330),
  stageAt: Date.UTC(2026, 10, 20, 7, 32, 25, 341),
  annotations: new Map([
    ['b', '2'],
    ['a', '1'],
  ]),
};

it('is one line of JSON in the order of upstream, without what is empty', () => {
  expect(auditLine(record, 'json')).toBe(
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"an-id","stage":"ResponseComplete",' +
      '"requestURI":"/api/v1/namespaces/default/pods?watch=1\\u0026limit=5","verb":"list","user":{"username":"jane","groups":["a","b\\"c"]},' +
      '"sourceIPs":["10.1.2.3","127.0.0.1"],"userAgent":"tester/1","objectRef":{"resource":"pods","namespace":"default","apiVersion":"v1"},' +
      '"responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":"2026-11-20T07:32:25.330000Z",' +
      '"stageTimestamp":"2026-11-20T07:32:25.341000Z","annotations":{"a":"1","b":"2"}}\n',
  );
});

it('is one line of text in the former format', () => {
  expect(auditLine(record, 'legacy')).toBe(
    '2026-11-20T07:32:25.33Z AUDIT: id="an-id" stage="ResponseComplete" ip="10.1.2.3" method="list" user="jane" ' +
      'groups="\\"a\\",\\"b\\\\\\"c\\"" as="<self>" asgroups="<lookup>" user-agent="tester/1" namespace="default" ' +
      'uri="/api/v1/namespaces/default/pods?watch=1&limit=5" response="200"\n',
  );
  const { responseStatus: _status, objectRef: _reference, ...early } = record;
  expect(auditLine({ ...early, user: {}, sourceIPs: [] }, 'legacy')).toContain(
    'ip="<unknown>" method="list" user="<none>" groups="<none>" as="<self>" asgroups="<lookup>" user-agent="tester/1" namespace="<none>"',
  );
});
