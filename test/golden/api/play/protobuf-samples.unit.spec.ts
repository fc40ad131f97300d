import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sessionLines } from '../../play-result';
import { goldenFolder } from '../../golden-folder';
import type { Recording, Sample } from '../recording';
import { readRecording } from '../recording';
import { Client } from './client';
import { playSamples } from './protobuf-samples';
import type { Field } from './protobuf-wire';
import { closeEnvelope, openEnvelope, readFields, replaceStrings, writeFields } from './protobuf-wire';

const text = (number: number, value: string | Buffer): Field => ({ number, wire: 2, value: Buffer.from(value) });
const envelope = (kind: string, raw: Buffer): Buffer =>
  Buffer.concat([Buffer.from('k8s\0', 'latin1'), writeFields([text(1, writeFields([text(1, 'v1'), text(2, kind)])), text(2, raw)])]);
const uids = { recorded: '7b58d81e-f590-4af3-afca-2802cbf76ace', ours: '00000000-0000-0000-0000-000000000001' };
const configMap = (uid: string, version: string, value: string): Buffer =>
  envelope(
    'ConfigMap',
    writeFields([
      text(1, writeFields([text(1, 'shop'), text(5, uid), text(6, version)])),
      text(2, writeFields([text(1, 'k'), text(2, value)])),
    ]),
  );
const json = (uid: string, version: string, value: string) => ({
  kind: 'ConfigMap',
  metadata: { name: 'shop', uid, resourceVersion: version },
  data: { k: value },
});

describe('protobuf on the wire', () => {
  it('is read and written back alike', () => {
    const bytes = configMap(uids.recorded, '1280', 'v'.repeat(300));
    const opened = openEnvelope(bytes);
    expect(opened).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(closeEnvelope(opened!, opened!.raw).equals(bytes)).toBe(true);
    expect(writeFields(readFields(opened!.raw)!).equals(opened!.raw)).toBe(true);
  });

  it('has whole strings replaced wherever they lie, with lengths set anew', () => {
    const before = openEnvelope(configMap(uids.recorded, '1280', 'x'))!.raw;
    const after = replaceStrings(
      before,
      new Map([
        ['1280', '7'],
        [uids.recorded, uids.ours],
      ]),
    );
    expect(after.equals(openEnvelope(configMap(uids.ours, '7', 'x'))!.raw)).toBe(true);
    expect(replaceStrings(before, new Map([['128', '7']]))).toBe(before);
  });

  it('that is broken is no message', () => {
    expect(readFields(Buffer.from('garbage'))).toBeUndefined();
    expect(readFields(Buffer.from([0x0a, 0x7f, 1]))).toBeUndefined();
    expect(openEnvelope(Buffer.from('{}'))).toBeUndefined();
  });
});

describe('samples', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const path = '/api/v1/namespaces/web-pb/configmaps/shop';
  const samples: Sample[] = [
    { what: 'object', path, json: json(uids.recorded, '1280', 'v'), protobuf: configMap(uids.recorded, '1280', 'v').toString('base64') },
    {
      what: 'request body in protobuf, JSON answer',
      method: 'PUT',
      path: `${path}?dryRun=All`,
      contentType: 'application/vnd.kubernetes.protobuf',
      body: configMap(uids.recorded, '1280', 'v').toString('base64'),
      status: 200,
      json: json(uids.recorded, '1280', 'v'),
    },
  ];
  const recording: Recording = {
    header: { session: 'protobuf-samples', title: '', area: 'negotiation', server: 'v1.34.4', runs: 'apiserver' },
    steps: [],
    samples,
    dir: '',
  };

  async function play(value: string): Promise<{ lines: string[]; put: Buffer | undefined }> {
    let put: Buffer | undefined;
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.method === 'PUT') put = Buffer.concat(chunks);
        const asProtobuf = request.headers.accept === 'application/vnd.kubernetes.protobuf';
        response.end(asProtobuf ? configMap(uids.ours, '7', value) : JSON.stringify(json(uids.ours, '7', 'v')));
      });
    });
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
    const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' });
    const result = await playSamples(recording, { client, patience: 0, pauses: false });
    client.close();
    return { lines: sessionLines(result, true), put };
  }

  it('agree under other uids and versions, and put our values into request bodies', async () => {
    const { lines, put } = await play('v');
    expect(lines).toEqual(['protobuf-samples: 2/2']);
    expect(put?.equals(configMap(uids.ours, '7', 'v'))).toBe(true);
  });

  it('with another value inside the message differ', async () => {
    const { lines } = await play('w');
    expect(lines[0]).toBe('protobuf-samples: 1/2');
    expect(lines[1]).toContain('protobuf: differs from byte');
  });

  const golden = goldenFolder('api');
  it.runIf(golden !== undefined)('as recorded agree with themselves', async () => {
    const recorded = readRecording(golden ?? '', 'protobuf-samples');
    const bodies: string[] = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('base64');
        const url = request.url?.replace('&timeoutSeconds=1', '');
        const sample = recorded.samples.find(
          (one) => one.path === url && (one.body === undefined ? request.method === 'GET' : one.body === body),
        );
        if (request.method === 'PUT') bodies.push(body);
        response.statusCode = sample?.status ?? 200;
        if (sample?.responseContentType !== undefined) response.setHeader('Content-Type', sample.responseContentType);
        if (sample?.stream !== undefined) response.end(Buffer.from(sample.stream, 'base64'));
        else if (request.headers.accept === 'application/vnd.kubernetes.protobuf')
          response.end(Buffer.from(sample?.protobuf ?? '', 'base64'));
        else response.end(JSON.stringify(sample?.json ?? { metadata: {} }));
      });
    });
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
    const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' });
    const result = await playSamples(recorded, { client, patience: 0, pauses: false });
    client.close();
    expect(sessionLines(result, true)).toEqual(['protobuf-samples: 36/36']);
    expect(bodies).toHaveLength(8);
  });
});
