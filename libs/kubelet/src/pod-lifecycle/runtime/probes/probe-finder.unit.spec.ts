import { describe, expect, it } from 'vitest';
import { always, type ProbeKind } from '../../../behaviour';
import type { Container, Probe } from '../../pod-types';
import { aRun } from '../runs.fixture';
import { finderFor } from './probe-finder';
import type { ProbeFinding } from './probe-outcome';

interface Asked {
  does?: Record<string, string>;
  sinceMs?: number;
  container?: Partial<Container>;
  kind?: ProbeKind;
}

function asked(probe: Probe, { does = {}, sinceMs = 0, container: more, kind = 'readiness' }: Asked = {}): ProbeFinding {
  const { container, behaviour } = aRun('app', { does, with: more });
  return finderFor(probe, kind, { container, behaviour, podIP: '10.0.0.1', programAnswers: () => undefined })(sinceMs);
}

const http = (path: string, more: Partial<NonNullable<Probe['httpGet']>> = {}): Probe => ({
  httpGet: { path, port: 8080, scheme: 'HTTP', ...more },
});

describe('over HTTP', () => {
  const does = {
    'http.8080': [
      '/ready 503; from 5s 200',
      '/old 302 to "http://other.example/"',
      '/local 302 to "/ready"',
      '/round 302 to "/round"',
      '/slow 200 takes 3s',
      '/bare 304 body "same"',
    ].join('\n'),
  };

  it.each<[string, string, string]>([
    ['/ready', 'failure', 'HTTP probe failed with statuscode: 503'],
    ['/nope', 'failure', 'HTTP probe failed with statuscode: 404'],
    ['/old', 'warning', 'Probe terminated redirects, Response body: '],
    ['/bare', 'warning', 'Probe terminated redirects, Response body: same'],
    ['/local', 'failure', 'HTTP probe failed with statuscode: 503'],
    ['/round', 'failure', 'Get "http://10.0.0.1:8080/round": stopped after 10 redirects'],
    ['/slow', 'failure', 'Get "http://10.0.0.1:8080/slow": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
  ])('%s: %s, %s', (path, result, text) => {
    expect(asked(http(path), { does })).toMatchObject({ result, text });
  });

  it('follows a redirection in the same host to what is answered there and then', () => {
    expect(asked(http('/local'), { does })).toMatchObject({ untilMs: 5_000 });
    expect(asked(http('/local'), { does, sinceMs: 5_000 })).toMatchObject({ result: 'success' });
  });

  it('is refused where nothing listens', () => {
    expect(asked(http('/ready', { scheme: 'HTTPS' }), { does: { 'tcp.8080': 'closed; from 4s open' } })).toEqual({
      result: 'failure',
      text: 'Get "https://10.0.0.1:8080/ready": dial tcp 10.0.0.1:8080: connect: connection refused',
      takesMs: 0,
      untilMs: 4_000,
    });
  });

  it('succeeds at a port of which nothing is said', () => {
    expect(asked(http('/any'))).toMatchObject({ result: 'success', untilMs: Number.POSITIVE_INFINITY });
  });

  it.each<[number | string, ProbeFinding['result'], string]>([
    ['web', 'failure', 'HTTP probe failed with statuscode: 503'],
    ['8080', 'failure', 'HTTP probe failed with statuscode: 503'],
    ['none', 'error', 'strconv.Atoi: parsing "none": invalid syntax'],
    ['0', 'error', 'invalid port number: 0'],
  ])('finds the port %s by name or number', (port, result, text) => {
    const container = { ports: [{ name: 'web', containerPort: 8080 }] };
    expect(asked(http('/ready', { port }), { does, container })).toMatchObject({ result, text });
  });
});

describe('a command', () => {
  const does = {
    'exec.ready': 'exit 0; from 6s exit 1 out "a" err "b"; from 9s exit 0 takes 30s',
  };
  const probe = { exec: { command: ['/bin/ready', '-v'] }, timeoutSeconds: 2 };

  it.each([
    [0, 'success', '', 0],
    [6_000, 'failure', 'ab', 0],
    [9_000, 'failure', 'command timed out: "/bin/ready -v" timed out after 2s', 2_000],
  ])('after %i ms: %s "%s"', (sinceMs, result, text, takesMs) => {
    expect(asked(probe, { does, sinceMs })).toMatchObject({ result, text, takesMs });
  });

  it('of which nothing is said succeeds', () => {
    expect(asked({ exec: { command: ['pg_isready'] } })).toMatchObject({ result: 'success' });
  });
});

describe('over gRPC', () => {
  const probe = (service = ''): Probe => ({ grpc: { port: 9090, service } });

  it.each<[string, Probe, Record<string, string>, string, number]>([
    ['not serving', probe(), { 'grpc.9090': 'NOT_SERVING' }, 'service unhealthy (responded with "NOT_SERVING")', 0],
    ['slow', probe(), { 'grpc.9090': 'SERVING takes 3s' }, 'timeout: health rpc did not complete within 1s', 1_000],
    [
      'another service',
      probe('db'),
      { 'grpc.9090': 'SERVING' },
      'error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
      0,
    ],
    [
      'nothing there',
      probe(),
      { 'tcp.9090': 'closed' },
      'timeout: failed to connect service "10.0.0.1:9090" within 1s: context deadline exceeded',
      1_000,
    ],
  ])('%s', (_name, asking, does, text, takesMs) => {
    expect(asked(asking, { does })).toMatchObject({ result: 'failure', text, takesMs });
  });

  it('succeeds where it is said to serve', () => {
    expect(asked(probe(), { does: { 'grpc.9090': 'SERVING' } })).toMatchObject({ result: 'success' });
  });
});

describe('over TCP', () => {
  it('succeeds while the port is open', () => {
    const does = { 'tcp.9000': 'open; from 5s closed' };
    expect(asked({ tcpSocket: { port: 9000 } }, { does })).toMatchObject({ result: 'success', untilMs: 5_000 });
    expect(asked({ tcpSocket: { port: 9000, host: '::1' } }, { does, sinceMs: 5_000 })).toMatchObject({
      result: 'failure',
      text: 'dial tcp [::1]:9000: connect: connection refused',
    });
  });
});

describe('what is said of the health', () => {
  it.each<[Probe, string]>([
    [http('/'), 'HTTP probe failed with statuscode: 503'],
    [{ grpc: { port: 1 } }, 'service unhealthy (responded with "NOT_SERVING")'],
    [{ tcpSocket: { port: 80 } }, 'dial tcp 10.0.0.1:80: connect: connection refused'],
    [{ exec: { command: ['x'] } }, ''],
  ])('goes before what is said of answers: %j', (probe, text) => {
    const { container, behaviour } = aRun('app');
    const sick = { ...behaviour, health: { liveness: always({ ok: false }) } };
    const target = { container, behaviour: sick, podIP: '10.0.0.1', programAnswers: () => undefined };
    expect(finderFor(probe, 'liveness', target)(0)).toMatchObject({ result: 'failure', text });
    expect(finderFor(probe, 'readiness', target)(0)).toMatchObject({ result: 'success' });
  });
});
