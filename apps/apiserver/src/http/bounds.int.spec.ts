import 'reflect-metadata';
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServerAddress, startProcess, type ControlPlaneProcess } from '#libs/app-shell';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { ApiserverModule } from '../apiserver.module';
import { createCertificates, type Certificates } from '#libs/app-shell/certificates';

const authorization = 'Bearer secret';
const configMaps = '/api/v1/namespaces/default/configmaps';
/** So short that the tests are over before anybody asks; none of them depends on how long it really takes. */
const brief = { handshakeMs: 100, headersMs: 100, bodyMs: 100, idleMs: 100, lingerMs: 100, checkMs: 20 };

let certificates: Certificates;
let control: ControlPlaneProcess;
let port = 0;
const opened: { destroy(): unknown }[] = [];

async function start(limits: Record<string, number> = {}): Promise<void> {
  control = await startProcess({
    log: createMemoryLog(),
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver: { host: '127.0.0.1', port: 0, token: 'secret', ...certificates, limits } },
    modules: [ApiserverModule],
    name: 'test',
  });
  port = control.app.get(ServerAddress, { strict: false }).port as number;
}

beforeAll(async () => {
  certificates = await createCertificates({ hosts: ['localhost', '127.0.0.1', 'kubernetes.default.svc'], now: Date.now() });
});
afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy();
  await control.close();
});

async function tls(): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  opened.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** Everything that comes until the server closes the connection. */
async function untilClosed(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

async function said(bytes: string): Promise<string> {
  const socket = await tls();
  socket.write(bytes);
  return untilClosed(socket);
}

function http(method: string, path: string, body = '', headers: readonly string[] = []): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, ...length, ...headers, '', body].join('\r\n');
}

const statuses = (text: string): string[] => [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((match) => match[1] as string);
const bye = 'Connection: close';
const created = (name: string): string => http('POST', configMaps, `{"metadata":{"name":"${name}"}}`);

function session(): ClientHttp2Session {
  const opening = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false });
  opened.push(opening);
  opening.on('error', () => undefined);
  return opening;
}

async function answerOf(stream: ClientHttp2Stream): Promise<{ status: unknown; body: string }> {
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  let body = '';
  for await (const chunk of stream) body += String(chunk);
  return { status: headers[':status'], body };
}

describe('requests on one connection', () => {
  it('are answered whole before what follows is found to be no request', async () => {
    await start();
    const text = await said(`${created('a')}${http('DELETE', `${configMaps}/a`)}\x01\x02 garbage\r\n\r\n`);
    expect(statuses(text)).toEqual(['201', '200', '400']);
    expect(statuses(await said(http('GET', `${configMaps}/a`, '', [bye])))).toEqual(['404']);
  });

  it('are served in their order', async () => {
    await start();
    const text = await said(
      created('a') + http('GET', `${configMaps}/a`) + http('DELETE', `${configMaps}/a`) + http('GET', `${configMaps}/a`, '', [bye]),
    );
    expect(statuses(text)).toEqual(['201', '200', '200', '404']);
  });

  it('are not executed when their own body is broken', async () => {
    await start();
    const head = http('POST', configMaps, '', ['Transfer-Encoding: chunked']);
    expect(statuses(await said(`${created('a')}${head}5\r\n{"met\r\nnonsense\r\n`))).toEqual(['201', '400']);
    expect((await said(http('GET', configMaps, '', [bye]))).match(/"name":"[^"]*"/g)).toEqual(expect.arrayContaining(['"name":"a"']));
  });

  it.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['an encoding that is none', ['Transfer-Encoding: xchunked']],
    ['a header with a space before its colon', ['Content-Length : 2']],
    ['a header folded over two lines', ['X-A: b', ' c: d']],
  ])('with %s are refused: nobody else may read them otherwise', async (_, headers) => {
    await start();
    const head = [`POST ${configMaps} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, ...headers, '', ''].join('\r\n');
    const text = await said(`${head}{}${http('DELETE', `${configMaps}/kube-root-ca.crt`, '', [bye])}`);
    expect(statuses(text)).toEqual(['400']);
  });

  it('may not pile up without end', async () => {
    await start({ pipelinedMax: 4 });
    const text = await said(http('GET', `${configMaps}?watch=true`) + http('GET', '/version').repeat(6));
    expect(statuses(text).length).toBeLessThan(2);
  });
});

describe('who takes too long', () => {
  it('over a body is told so, over HTTP/1.1', async () => {
    await start(brief);
    const text = await said(http('POST', configMaps, '', ['Content-Length: 1000']) + '{"metadata":');
    expect(statuses(text)).toEqual(['504']);
    expect(text).toContain('"message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout"');
  });

  it('over a body is told so, over HTTP/2', async () => {
    await start(brief);
    const stream = session().request({ ':method': 'POST', ':path': configMaps, authorization });
    stream.write('{"metadata":');
    expect(await answerOf(stream)).toMatchObject({ status: 504, body: expect.stringContaining('"reason":"Timeout"') });
  });

  it('over a body that nobody reads loses the connection', async () => {
    await start(brief);
    expect(statuses(await said(http('GET', '/version', '', ['Content-Length: 1000']) + 'x'))[0]).toBe('200');
  });

  it('over headers loses the connection, also without a byte', async () => {
    await start(brief);
    expect(statuses(await said('GET /version HTTP/1.1\r\nHost: loc'))).toEqual(['408']);
    expect(statuses(await said(''))).toEqual(['408']);
  });

  it('over the handshake loses the connection', async () => {
    await start(brief);
    const socket = connectTcp({ host: '127.0.0.1', port });
    opened.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });

  it('between two requests loses the connection', async () => {
    await start({ ...brief, headersMs: 60_000 });
    expect(statuses(await said(http('GET', '/version')))).toEqual(['200']);
  });

  it('with a session of HTTP/2 loses it, but not while a watch is open', async () => {
    await start(brief);
    const watching = session();
    const watch = watching.request({ ':path': `${configMaps}?watch=1&resourceVersion=${control.runtime.state.position}`, authorization });
    await once(watch, 'response');
    const silent = session();
    await once(silent, 'close');
    const silentAgain = session();
    await once(silentAgain, 'close');
    expect(statuses(await said(`${created('seen')}\x01\r\n\r\n`))).toEqual(['201', '400']);
    expect(JSON.parse(String((await once(watch, 'data'))[0]))).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'seen' } } });
    expect(watching.closed).toBe(false);
    watch.close();
    await once(watching, 'close');
  });

  it('to close a connection that the server has closed is not waited for', async () => {
    await start({ ...brief, connectionsMax: 1 });
    const deaf = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    opened.push(deaf);
    await once(deaf, 'secureConnect');
    deaf.pause();
    // The only place there is gets free.
    const status = async (): Promise<string[]> => {
      const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
      socket.on('error', () => undefined);
      socket.write(http('GET', '/version', '', [bye]));
      return statuses(await untilClosed(socket));
    };
    await expect.poll(status).toEqual(['200']);
    expect(deaf.destroyed).toBe(false);
  });
});

describe('the name of the server', () => {
  const get = (...hosts: string[]): string => ['GET /version HTTP/1.1', ...hosts.map((host) => `Host: ${host}`), bye, '', ''].join('\r\n');

  it.each(['localhost', 'LOCALHOST:6443', '127.0.0.1', '10.1.2.3:1', '[::1]:6443', '[fe80::1%eth0]', 'kubernetes.default.svc'])(
    'may be %s',
    async (host) => {
      await start();
      expect(statuses(await said(get(host)))).toEqual(['200']);
    },
  );

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:443', '', 'a b', '[::1', 'localhost:port'])(
    'may not be %j',
    async (host) => {
      await start();
      const text = await said(get(host));
      expect(statuses(text)).toEqual(['421']);
      expect(text).toContain('only addresses and localhost, kubernetes.default.svc');
    },
  );

  it('is said once', async () => {
    await start();
    expect(statuses(await said(get()))).toEqual(['400']);
    expect(statuses(await said(get('localhost', 'evil.example')))).toEqual(['400']);
  });

  it('is looked at over HTTP/2 too', async () => {
    await start();
    const ask = (authority: string) => answerOf(session().request({ ':path': '/version', ':authority': authority }));
    expect((await ask('evil.example')).status).toBe(421);
    expect((await ask('localhost')).status).toBe(200);
  });
});

describe('too much', () => {
  it('of headers is refused, by number and by length', async () => {
    await start();
    const many = Array.from({ length: 200 }, (_, index) => `X-${index}: a`);
    expect(statuses(await said(http('GET', '/version', '', [...many, bye])))).toEqual(['431']);
    expect(statuses(await said(http('GET', '/version', '', [`X-A: ${'a'.repeat(100_000)}`])))).toEqual(['431']);
  });

  it('of watches is refused until one ends', async () => {
    await start({ streamsMax: 2 });
    const connection = session();
    const watch = async (): Promise<[ClientHttp2Stream, Record<string, unknown>]> => {
      const stream = connection.request({ ':path': `${configMaps}?watch=1`, authorization });
      return [stream, ((await once(stream, 'response')) as [Record<string, unknown>])[0]];
    };
    const [first] = await watch();
    expect((await watch())[1][':status']).toBe(200);
    expect((await watch())[1]).toMatchObject({ ':status': 429, 'retry-after': '1' });
    first.close();
    await expect.poll(async () => (await watch())[1][':status']).toBe(200);
  });

  it('of connections is dropped', async () => {
    await start({ connectionsMax: 2 });
    const kept = [await tls(), await tls()];
    await expect(tls()).rejects.toMatchObject({ code: 'ECONNRESET' });
    kept[0]?.write(http('GET', '/version', '', [bye]));
    expect(statuses(await untilClosed(kept[0] as TLSSocket))).toEqual(['200']);
  });
});
