import 'reflect-metadata';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ServerAddress, startProcess, type ControlPlaneProcess } from '#libs/app-shell';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { ApiserverModule } from '../apiserver.module';
import { createCertificates, type Certificates } from '#libs/app-shell/certificates';
import { SpdyClient } from '../http/spdy/spdy-client.fixture';

const authorization = 'Bearer secret';
const pods = '/api/v1/namespaces/default/pods';
const streams = 'stdin=true&stdout=true&stderr=true';

let certificates: Certificates;
let control: ControlPlaneProcess;
let port = 0;

async function stored(resource: string, name: string, content: object, annotations = {}): Promise<void> {
  const namespace = { pods: 'default', 'leases.coordination.k8s.io': 'kube-node-lease' }[resource];
  const metadata = { name, namespace, uid: name, creationTimestamp: '2026-01-01T00:00:00Z', annotations };
  await control.runtime.append(
    `local.${resource}-${namespace ? `${namespace}/` : ''}${name}`,
    [[fact('Created', { object: { metadata, ...content } as KubeObject })]],
    'no_stream',
    {
      origin: { actor: 'test', operation: name, correlationId: 'c' },
      label: '0',
      follows: undefined,
    },
  );
}

const running = { state: { running: { startedAt: '2026-01-01T11:00:00Z' } } };

beforeAll(async () => {
  certificates = await createCertificates({ hosts: ['localhost', '127.0.0.1'], now: Date.now() });
  control = await startProcess({
    log: createMemoryLog(),
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver: { host: '127.0.0.1', port: 0, token: 'secret', ...certificates } },
    modules: [ApiserverModule],
    name: 'test',
  });
  port = control.app.get(ServerAddress, { strict: false }).port as number;
  await stored('nodes', 'n1', {});
  await stored('leases.coordination.k8s.io', 'n1', { spec: { holderIdentity: 'n1' } });
  await stored('nodes', 'alien', { status: { addresses: [{ type: 'Hostname', address: 'alien' }] } });
  const spec = { nodeName: 'n1', containers: [{ name: 'c', env: [{ name: 'COLOUR', value: 'red' }], ports: [{ containerPort: 80 }] }] };
  const status = { phase: 'Running', podIP: '10.128.0.2', containerStatuses: [{ name: 'c', ...running }] };
  await stored('pods', 'p', { spec, status }, { 'kubereel.dev/log': 'first\nsecond' });
  const shell = { nodeName: 'n1', containers: [{ name: 'c', command: ['sh'], stdin: true, tty: true }] };
  await stored('pods', 'shell', { spec: shell, status });
  await stored('pods', 'waiting', { spec, status: { phase: 'Pending' } });
  await stored('pods', 'far', { spec: { ...spec, nodeName: 'alien' }, status });
  await stored('pods', 'unbound', { spec: { containers: spec.containers } });
});
afterAll(() => control.close());

/** A client of exec or attach, as the JavaScript and Python clients are: what came on each channel. */
class Client {
  readonly channels: Record<number, string> = {};
  readonly socket: WebSocket;
  readonly closed: Promise<unknown>;
  private readonly isText: boolean;

  constructor(path: string, protocol: string) {
    this.socket = new WebSocket(`wss://127.0.0.1:${port}${pods}/${path}`, protocol === '' ? [] : [protocol], {
      ca: certificates.ca,
      headers: { authorization },
    });
    this.isText = protocol.includes('base64');
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data: Buffer) => {
      const channel = this.isText ? Number(data.subarray(0, 1).toString()) : (data[0] as number);
      const text = this.isText ? Buffer.from(data.subarray(1).toString(), 'base64').toString() : data.subarray(1).toString();
      this.channels[channel] = (this.channels[channel] ?? '') + text;
    });
    this.closed = once(this.socket, 'close');
  }

  async type(text: string): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open');
    this.socket.send(this.isText ? `0${Buffer.from(text).toString('base64')}` : Buffer.concat([Buffer.from([0]), Buffer.from(text)]));
  }

  async until(channel: number, text: string): Promise<void> {
    while (!(this.channels[channel] ?? '').includes(text)) await once(this.socket, 'message');
  }

  get status(): unknown {
    return JSON.parse(this.channels[3] ?? '');
  }
}

async function run(path: string, protocol = 'v4.channel.k8s.io'): Promise<Client> {
  const client = new Client(path, protocol);
  await client.closed;
  return client;
}

function refused(path: string, protocol = 'v4.channel.k8s.io'): Promise<{ status: number; text: string }> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}${pods}/${path}`, [protocol], { ca: certificates.ca, headers: { authorization } });
  socket.on('error', () => undefined);
  return new Promise((resolve) =>
    socket.on('unexpected-response', async (_: unknown, response: AsyncIterable<Buffer> & { statusCode: number }) => {
      let text = '';
      for await (const chunk of response) text += chunk.toString();
      resolve({ status: response.statusCode, text });
    }),
  );
}

function plain(path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host: '127.0.0.1', port, path: `${pods}/${path}`, ca: certificates.ca, headers: { authorization } },
      async (answer) => {
        let text = '';
        for await (const chunk of answer) text += String(chunk);
        resolve({ status: answer.statusCode ?? 0, text });
      },
    );
    request.on('error', reject);
    request.end();
  });
}

describe('exec', () => {
  it.each(['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', 'v5.channel.k8s.io'])('runs a command over %s', async (protocol) => {
    const client = await run('p/exec?stdout=1&stderr=1&command=sh&command=-c&command=echo $COLOUR; cat /none', protocol);
    expect(client.channels[1]).toBe('red\n');
    expect(client.channels[2]).toBe("cat: can't open '/none': No such file or directory\n");
    expect(client.status).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '1' }] },
    });
    expect((await run('p/exec?stdout=1&command=true', protocol)).status).toEqual({ metadata: {}, status: 'Success' });
  });

  it('tells an exit code in the words of who tells it', async () => {
    const message = async (protocol: string) =>
      ((await run('p/exec?stdout=1&command=sh&command=-c&command=exit 3', protocol)).status as { message: string }).message;
    expect(await message('v4.channel.k8s.io')).toBe(
      'command terminated with non-zero exit code: error executing command [sh -c exit 3], exit code 3',
    );
    expect(await message('v5.channel.k8s.io')).toBe('command terminated with non-zero exit code: command terminated with exit code 3');
    expect((await run('p/exec?stdout=1&command=false', '')).channels[3]).toBe(
      'command terminated with non-zero exit code: error executing command [false], exit code 1',
    );
    expect((await run('p/exec?stdout=1&command=true', '')).channels[3]).toBeUndefined();
  });

  it('hands on what is typed, to the end of the input', async () => {
    const client = new Client(`p/exec?${streams}&command=cat`, 'v5.channel.k8s.io');
    await client.type('one');
    await client.type('two');
    await client.until(1, 'onetwo');
    client.socket.send(Buffer.from([255, 0]));
    await client.closed;
    expect(client.status).toMatchObject({ status: 'Success' });
    expect((await run('p/exec?stdout=1&command=cat')).status).toMatchObject({ status: 'Success' });
  });

  it('is a shell behind a terminal', async () => {
    const client = new Client('p/exec?stdin=1&stdout=1&tty=1&command=sh', 'v5.channel.k8s.io');
    await client.until(1, '/ # ');
    await client.type('echo $COLOUR\r');
    await client.until(1, 'echo $COLOUR\r\nred\r\n/ # ');
    await client.type('\x03');
    await client.until(1, '^C\r\n/ # ');
    await client.type('exit 2\r');
    await client.closed;
    expect(client.status).toMatchObject({ details: { causes: [{ message: '2' }] } });
  });

  it('says what cannot be started', async () => {
    const { message } = (await run('p/exec?stdout=1&command=nginx')).status as { message: string };
    expect(message).toMatch(
      /^Internal error occurred: error executing command in container: .*exec: "nginx": executable file not found in \$PATH: unknown$/,
    );
  });

  it('is refused in the words of the API server, then of the node', async () => {
    expect(await refused('none/exec?stdout=1&command=true')).toMatchObject({ status: 404 });
    expect((await refused('unbound/exec?stdout=1&command=true')).text).toContain('pod unbound does not have a host assigned');
    expect((await refused('p/exec?container=x&stdout=1&command=true')).text).toContain('container x is not valid for pod p');
    expect(await refused('p/exec?command=true')).toEqual({ status: 400, text: 'you must specify at least 1 of stdin, stdout, stderr\n' });
    expect(await refused('waiting/exec?stdout=1&command=true')).toEqual({ status: 500, text: 'container not found ("c")' });
    expect((await run('waiting/exec?stdout=1&command=true', 'v5.channel.k8s.io')).status).toMatchObject({
      message: 'Internal error occurred: unable to upgrade connection: container not found ("c")',
    });
    expect(await refused('p/exec?stdout=1&command=true', 'v9.channel.k8s.io')).toMatchObject({ status: 403 });
    expect(await plain('p/exec?stdout=1&command=true')).toMatchObject({
      status: 400,
      text: expect.stringContaining('Upgrade request required'),
    });
  });
});

describe('a node without a kubelet of ours', () => {
  const dial = 'dial tcp: lookup alien: no such host';

  it('cannot be dialled, which the API server tells by the way it was asked', async () => {
    const text = `error dialing backend: ${dial}`;
    expect(await refused('far/portforward?ports=80')).toMatchObject({ status: 500, text: expect.stringContaining(text) });
    expect(JSON.parse((await refused('far/exec?stdout=1&command=true')).text)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: text,
      code: 500,
    });
    const message = async (path: string) => ((await run(path, 'v5.channel.k8s.io')).status as { message: string }).message;
    expect(await message('far/exec?stdout=1&stderr=1&command=ls&command=/a b')).toBe(
      `Internal error occurred: error sending request: Post "https://alien:10250/exec/default/far/c?command=ls&command=%2Fa+b&error=1&output=1": ${dial}`,
    );
    expect(await message('far/attach?stdin=1&stdout=1&tty=1')).toBe(
      `Internal error occurred: error sending request: Post "https://alien:10250/attach/default/far/c?input=1&output=1&tty=1": ${dial}`,
    );
  });
});

describe('attach', () => {
  it('shows what a container writes from then on', async () => {
    const command = ['sh', '-c', 'echo before; while true; do sleep 1; echo tick; done'];
    const startedAt = new Date().toISOString().replace(/\.\d+/, '');
    const status = { phase: 'Running', containerStatuses: [{ name: 'c', state: { running: { startedAt } } }] };
    await stored('pods', 'ticking', { spec: { nodeName: 'n1', containers: [{ name: 'c', command }] }, status });
    const client = new Client('ticking/attach?stdout=1', 'v4.channel.k8s.io');
    await client.until(1, 'tick\n');
    client.socket.close();
    await client.closed;
    expect(client.channels[1]).not.toContain('before');
  });

  it('talks to a shell that a container runs', async () => {
    const client = new Client('shell/attach?stdin=1&stdout=1&tty=1', 'v5.channel.k8s.io');
    await client.until(1, '/ # ');
    await client.type('hostname\r');
    await client.until(1, '\r\nshell\r\n');
    client.socket.close();
    await client.closed;
    expect(await refused('waiting/attach?stdout=1')).toEqual({ status: 500, text: 'container c not found in pod waiting_default' });
  });
});

interface Upgraded {
  client: SpdyClient;
  headers: Record<string, unknown>;
  closed: Promise<unknown>;
}

/** A POST that asks for SPDY/3.1, as kubectl up to 1.30 sends. */
function overSpdy(path: string, protocols: string): Promise<Upgraded | { status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocols };
    const request = httpsRequest({ host: '127.0.0.1', port, method: 'POST', path: `${pods}/${path}`, ca: certificates.ca, headers });
    request.on('error', reject);
    request.on('upgrade', (answer: { headers: Record<string, unknown> }, socket: Duplex, head: Buffer) => {
      const client = new SpdyClient((bytes) => socket.write(bytes));
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => client.receive(bytes));
      if (head.length > 0) client.receive(head);
      resolve({ client, headers: answer.headers, closed: once(socket, 'close') });
    });
    request.on('response', async (answer) => {
      let text = '';
      for await (const chunk of answer) text += String(chunk);
      resolve({ status: answer.statusCode ?? 0, text });
    });
    request.end();
  });
}

/** A WebSocket by hand: the name of the tunnel's subprotocol is none that a library would take. */
function tunnel(path: string, protocol: string): Promise<{ socket: Duplex; answered: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const key = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-protocol': protocol };
    const headers = { authorization, connection: 'Upgrade', upgrade: 'websocket', ...key };
    const request = httpsRequest({ host: '127.0.0.1', port, path: `${pods}/${path}`, ca: certificates.ca, headers });
    request.on('upgrade', (answer: { headers: Record<string, unknown> }, socket: Duplex) => resolve({ socket, answered: answer.headers }));
    request.on('error', reject);
    request.end();
  });
}

/** The head of a binary message whose mask changes nothing. */
function masked(length: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x82;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** The first whole message of the server, which are short ones here. */
function unframed(bytes: Buffer): { payload: Buffer; rest: Buffer } | undefined {
  if (bytes.length < 4) return undefined;
  const isLong = bytes[1] === 126;
  const start = isLong ? 4 : 2;
  const end = start + (isLong ? bytes.readUInt16BE(2) : (bytes[1] as number));
  return bytes.length < end ? undefined : { payload: bytes.subarray(start, end), rest: bytes.subarray(end) };
}

describe('over SPDY', () => {
  it('a command has a stream for each of its streams', async () => {
    const { client, headers, closed } = (await overSpdy(
      'p/exec?stdin=1&stdout=1&stderr=1&command=cat',
      'v5.channel.k8s.io, v4.channel.k8s.io',
    )) as Upgraded;
    expect(headers['x-stream-protocol-version']).toBe('v4.channel.k8s.io');
    const error = await client.open({ streamtype: 'error' }, true);
    const stdin = await client.open({ streamtype: 'stdin' });
    const stdout = await client.open({ streamtype: 'stdout' });
    await client.open({ streamtype: 'stderr' });
    client.write(stdin, 'one');
    await client.until(() => client.received.get(stdout) === 'one');
    client.write(stdin, 'two', true);
    await closed;
    expect(client.received.get(stdout)).toBe('onetwo');
    expect(JSON.parse(client.received.get(error) ?? '')).toEqual({ metadata: {}, status: 'Success' });
  });

  it('refusals come in plain HTTP', async () => {
    expect(await overSpdy('waiting/exec?stdout=1&command=true', 'v4.channel.k8s.io')).toEqual({
      status: 500,
      text: 'container not found ("c")',
    });
    expect(await overSpdy('waiting/portforward', 'portforward.k8s.io')).toEqual({ status: 500, text: 'pod not found ("waiting_default")' });
    expect(await overSpdy('p/exec?stdout=1&command=true', 'v9')).toMatchObject({
      status: 403,
      text: expect.stringContaining('unable to negotiate protocol'),
    });
    expect(await overSpdy('p/exec?stdout=1&command=true', '')).toMatchObject({ status: 400 });
  });

  it('ports are forwarded, two streams a connection', async () => {
    const { client } = (await overSpdy('p/portforward', 'portforward.k8s.io')) as Upgraded;
    await forwarded(client);
  });

  it('ports are forwarded through a WebSocket', async () => {
    const protocol = 'SPDY/3.1+portforward.k8s.io';
    const { socket, answered } = await tunnel('p/portforward', protocol);
    expect(answered['sec-websocket-protocol']).toBe(protocol);
    const client = new SpdyClient((bytes) => socket.write(Buffer.concat([masked(bytes.length), bytes])));
    let left: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      left = Buffer.concat([left, bytes]);
      for (let frame = unframed(left); frame; frame = unframed(left)) {
        left = frame.rest;
        client.receive(frame.payload);
      }
    });
    await forwarded(client);
    socket.destroy();
  });

  async function forwarded(client: SpdyClient): Promise<void> {
    const connect = async (to: string, requestid: string): Promise<[error: number, data: number]> => [
      await client.open({ streamtype: 'error', port: to, requestid }, true),
      await client.open({ streamtype: 'data', port: to, requestid }),
    ];
    const [, data] = await connect('80', '0');
    client.write(data, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until(() => client.ended.has(data));
    expect(client.received.get(data)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*container c of pod default\/p is simulated/);
    const [error, refused] = await connect('81', '1');
    await client.until(() => client.ended.has(error));
    expect(client.received.get(error)).toMatch(/^error forwarding port 81 to pod p, uid : .*connection refused/);
    expect(client.reset.has(refused)).toBe(true);
  }
});

describe('ports over channels', () => {
  it('begin with their number, and answer', async () => {
    const client = new Client('p/portforward?ports=80,81', 'v4.channel.k8s.io');
    await client.until(3, 'connection refused');
    expect(client.channels[0]).toBe('P\x00');
    expect(client.channels[3]).toMatch(/^Q\x00error forwarding port 81/);
    await client.type('GET / HTTP/1.0\r\n\r\n');
    await client.closed;
    expect(client.channels[0]).toContain('200 OK');
  });

  it('have to be named', async () => {
    const text = async (query: string): Promise<string> => (await refused(`p/portforward${query}`)).text;
    expect(await text('')).toBe('query parameter "ports" is required');
    expect(await text('?ports=x')).toBe('unable to parse "x" as a port: strconv.ParseUint: parsing "x": invalid syntax');
    expect(await text('?ports=0')).toBe('port "0" must be > 0');
  });
});

describe('a log over a WebSocket', () => {
  it.each(['', 'binary.k8s.io', 'base64.binary.k8s.io'])('comes in messages of %j', async (protocol) => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}${pods}/p/log`, protocol === '' ? [] : [protocol], {
      ca: certificates.ca,
      headers: { authorization },
    });
    const messages: [string, boolean][] = [];
    socket.on('message', (data: Buffer, isBinary: boolean) => messages.push([data.toString(), isBinary]));
    await once(socket, 'close');
    const isText = protocol.startsWith('base64');
    const log = Buffer.from('first\nsecond\n');
    expect(messages).toEqual([
      ['', !isText],
      [isText ? log.toString('base64') : log.toString(), !isText],
    ]);
  });
});
