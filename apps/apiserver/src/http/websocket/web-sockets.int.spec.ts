import 'reflect-metadata';
import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ServerAddress, startProcess, type ControlPlaneProcess } from '#libs/app-shell';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { ApiserverModule } from '../../apiserver.module';
import { createCertificates, type Certificates } from '#libs/app-shell/certificates';

const authorization = 'Bearer secret';
const configMaps = '/api/v1/namespaces/default/configmaps';

let certificates: Certificates;
let control: ControlPlaneProcess;
let port = 0;

function start(limits: Record<string, number> = {}): Promise<ControlPlaneProcess> {
  return startProcess({
    log: createMemoryLog(),
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver: { host: '127.0.0.1', port: 0, token: 'secret', ...certificates, limits } },
    modules: [ApiserverModule],
    name: 'test',
  });
}
const portOf = ({ app }: ControlPlaneProcess): number => app.get(ServerAddress, { strict: false }).port as number;

beforeAll(async () => {
  certificates = await createCertificates({ hosts: ['localhost', '127.0.0.1'], now: Date.now() });
  control = await start();
  port = portOf(control);
});
afterAll(() => control.close());

/** A client as fabric8's is: over HTTP/1.1, naming an origin. What it was sent, message by message. */
class Client {
  readonly messages: { data: string; isBinary: boolean }[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;

  constructor(path: string, protocols: string[] = [], headers: Record<string, string> = { authorization }, to = port) {
    const options = { ca: certificates.ca, headers, origin: 'https://localhost' };
    this.socket = new WebSocket(`wss://127.0.0.1:${to}${path}`, protocols, options);
    this.socket.on('message', (data: Buffer, isBinary: boolean) => this.messages.push({ data: data.toString(), isBinary }));
    this.socket.on('error', () => undefined);
    this.closed = once(this.socket, 'close').then(([code]) => code as number);
  }

  async opened(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  async until(count: number): Promise<void> {
    while (this.messages.length < count) await once(this.socket, 'message');
  }
}

/** Status line and body of the answer to an upgrade that is refused. */
function refusalOf(path: string, protocols: string[], options: object): Promise<number> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, protocols, {
    ca: certificates.ca,
    headers: { authorization },
    origin: 'https://localhost',
    ...options,
  });
  socket.on('error', () => undefined);
  return new Promise((resolve) =>
    socket.on('unexpected-response', (_request: unknown, response: { statusCode: number }) => resolve(response.statusCode)),
  );
}

async function create(name: string): Promise<void> {
  const { request } = await import('node:https');
  await new Promise<void>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method: 'POST', path: configMaps, ca: certificates.ca, headers: { authorization } },
      (answer) => answer.resume().on('end', resolve),
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ metadata: { name } }));
  });
}

async function raw(lines: readonly string[], tail: Buffer = Buffer.alloc(0)): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write(Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n')), tail]));
  return socket;
}

const upgrading = (path: string, more: readonly string[] = ['Origin: https://localhost']): string[] => [
  `GET ${path} HTTP/1.1`,
  'Host: localhost',
  `Authorization: ${authorization}`,
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ...more,
];

async function untilClosed(socket: TLSSocket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.destroyed) await once(socket, 'close');
  return Buffer.concat(chunks);
}

/** The code of the close frame at the end of what the server sent. */
function closeCode(bytes: Buffer): number {
  const frames = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  const at = frames.lastIndexOf(0x88);
  return frames.readUInt16BE(at + 2);
}

const head = (path: string): string => `${path}?watch=true&allowWatchBookmarks=true&timeoutSeconds=600`;
const now = (): string => `&resourceVersion=${control.runtime.state.position}`;

describe('a watch over a WebSocket', () => {
  it('is one text message an event, from 101 on', async () => {
    const client = await new Client(head(configMaps) + now()).opened();
    expect(client.socket.protocol).toBe('');
    await create('one');
    await create('two');
    await client.until(2);
    expect(client.messages.every(({ isBinary, data }) => !isBinary && data.endsWith('\n'))).toBe(true);
    expect(client.messages.map(({ data }) => JSON.parse(data))).toMatchObject([
      { type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'one' } } },
      { type: 'ADDED', object: { metadata: { name: 'two' } } },
    ]);
    client.socket.close();
    await client.closed;
  });

  it('begins with the state where no version is given, each object a message', async () => {
    const client = await new Client('/api/v1/namespaces?watch=true').opened();
    await client.until(4);
    expect(client.messages.map(({ data }) => JSON.parse(data).object.metadata.name)).toContain('kube-system');
    client.socket.terminate();
  });

  it('ends with a close frame when its time is over, and when the server stops', async () => {
    const brief = await new Client(`${configMaps}?watch=true&timeoutSeconds=1${now()}`).opened();
    expect(await brief.closed).toBe(1000);
    const other = await start();
    const client = await new Client('/api/v1/pods?watch=true', [], { authorization }, portOf(other)).opened();
    await other.close();
    expect(await client.closed).toBe(1000);
  });

  it('answers pings, and ignores what it is told', async () => {
    const { socket } = await new Client(head(configMaps) + now()).opened();
    socket.send('who is there?');
    socket.ping(Buffer.from('are you?'));
    const [data] = await once(socket, 'pong');
    expect((data as Buffer).toString()).toBe('are you?');
    socket.terminate();
  });

  it('tells a version that cannot be served as an event, then closes', async () => {
    const client = await new Client(
      `${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999999&allowWatchBookmarks=true`,
    ).opened();
    expect(await client.closed).toBe(1000);
    expect(JSON.parse(client.messages[0]?.data ?? '')).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 504 } });
  });

  it('is refused as any request: unknown, forbidden, without a token, malformed', async () => {
    expect(await refusalOf('/api/v1/nothings?watch=true', [], {})).toBe(404);
    expect(await refusalOf(`${configMaps}?watch=true&labelSelector=%21%21`, [], {})).toBe(400);
    expect(await refusalOf(`${configMaps}?watch=true`, [], { headers: { authorization: 'Bearer wrong' } })).toBe(401);
    expect(await refusalOf(`${configMaps}?watch=true`, [], { headers: {} })).toBe(403);
  });

  it('is refused to who names no origin, or asks for several subprotocols', async () => {
    expect(await refusalOf(`${configMaps}?watch=true`, [], { origin: undefined })).toBe(403);
    expect(await refusalOf(`${configMaps}?watch=true`, ['a', 'b'], {})).toBe(400);
    const echoed = await new Client(head(configMaps), ['binary.k8s.io']).opened();
    expect(echoed.socket.protocol).toBe('binary.k8s.io');
    echoed.socket.terminate();
  });

  it('is answered plainly where it is no watch', async () => {
    expect(await refusalOf('/api/v1/namespaces/default', [], {})).toBe(200);
    const bytes = await untilClosed(await raw(upgrading('/version').map((line) => line.replace('websocket', 'h2c'))));
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 OK[^]*"gitVersion"/);
  });

  it('takes the token as a subprotocol, beside one to speak', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`;
    const client = await new Client(head(configMaps), [token, 'binary.k8s.io'], {}).opened();
    expect(client.socket.protocol).toBe('binary.k8s.io');
    client.socket.terminate();
    expect(await refusalOf(`${configMaps}?watch=true`, [token], { headers: {} })).toBe(401);
    expect(await refusalOf(`${configMaps}?watch=true`, [`${token}x`, 'a'], { headers: {} })).toBe(401);
  });
});

describe('hostile frames', () => {
  const path = head(configMaps);
  /** A frame that says it is `length` long, masked with zeros. */
  const frame = (first: number, length: number, isMasked = true): Buffer => {
    const bytes = Buffer.alloc(10 + (isMasked ? 4 : 0));
    bytes[0] = first;
    bytes[1] = (isMasked ? 0x80 : 0) | 127;
    bytes.writeBigUInt64BE(BigInt(length), 2);
    return bytes;
  };

  it('end the connection with the code for it: unmasked, huge, endless pieces, control frames that may not be', async () => {
    const masked = (first: number, payload: Buffer): Buffer => Buffer.concat([frame(first, payload.length), payload]);
    const cases: [string, Buffer, number][] = [
      ['unmasked', frame(0x81, 0, false), 1002],
      ['a length of 2^62', frame(0x82, 2 ** 62), 1009],
      ['pieces that never end', Buffer.concat([masked(0x02, Buffer.alloc(60_000)), masked(0x00, Buffer.alloc(60_000))]), 1009],
      ['a long ping', masked(0x89, Buffer.alloc(200)), 1002],
      ['a ping in pieces', Buffer.from([0x09, 0x80, 0, 0, 0, 0]), 1002],
      ['an unknown opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
      ['reserved bits', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
      ['a piece of nothing', Buffer.from([0x80, 0x80, 0, 0, 0, 0]), 1002],
      ['no text', masked(0x81, Buffer.from([0xff, 0xfe])), 1007],
    ];
    const told = await Promise.all(
      cases.map(async ([name, bytes]) => [name, closeCode(await untilClosed(await raw(upgrading(`${path}${now()}`), bytes)))]),
    );
    expect(told).toEqual(cases.map(([name, , code]) => [name, code]));
  });

  it('do not fill memory: pings of one who never reads the pongs', async () => {
    const socket = await raw(upgrading(`${path}${now()}`));
    await once(socket, 'data');
    socket.pause();
    const pings = Buffer.concat(
      Array.from({ length: 8_000 }, () => Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)])),
    );
    const over = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
    const written = (): Promise<boolean> => new Promise((resolve) => socket.write(pings, () => resolve(socket.destroyed)));
    // The server breaks off once it holds a megabyte that nobody takes.
    while (!(await Promise.race([over, written()])));
    expect(socket.destroyed).toBe(true);
  });

  it('are no end for those who behave', async () => {
    const client = await new Client(head(configMaps) + now()).opened();
    await create('still-served');
    await client.until(1);
    expect(JSON.parse(client.messages[0]?.data ?? '')).toMatchObject({ object: { metadata: { name: 'still-served' } } });
    client.socket.terminate();
  });
});
