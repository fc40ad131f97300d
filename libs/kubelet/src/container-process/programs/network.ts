import type { RunProgram } from '../context';
import { fullPath } from '../files';
import { NotSimulatedError } from '../process';
import { fails, pause, prints, readArguments } from './helpers';

interface Target {
  host: string;
  port: number;
  path: string;
}

/** `[http://]HOST[:PORT][/PATH]`. */
function targetOf(text: string): Target {
  const [, scheme = 'http', host, port, path = '/'] = /^(?:(https?):\/\/)?([^/:]+)(?::(\d+))?(\/.*)?$/.exec(text) ?? [];
  if (host === undefined) throw new NotSimulatedError(`the address ${text}`);
  return { host, port: port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port), path };
}

/** busybox's. */
const wget: RunProgram = function* (args, { machine, folder }) {
  const { options, rest } = readArguments(
    args,
    ['q', 'S', 'c', 'spider', 'no-check-certificate', 'quiet'],
    ['O', 'T', 't', 'timeout', 'tries', 'header', 'output-document'],
  );
  const [url] = rest;
  if (url === undefined || rest.length > 1) throw new NotSimulatedError('wget');
  const { host, port, path } = targetOf(url);
  const isQuiet = options.has('q') || options.has('quiet');
  const reached = machine.world.reach(host, port, machine.clock.now);
  if ('failure' in reached && reached.failure === 'unknown host')
    return yield* fails(`wget: bad address '${url.includes(':') && !url.includes('//') ? `${host}:${port}` : host}'\n`);
  if (!isQuiet) yield { err: `Connecting to ${host}:${port} (${reached.address}:${port})\n` };
  if ('failure' in reached) return yield* fails(`wget: can't connect to remote host (${reached.address}): Connection refused\n`);
  if (options.has('spider')) {
    if (!isQuiet) yield { err: 'remote file exists\n' };
    return 0;
  }
  const name = options.get('O') ?? options.get('output-document') ?? (path.replace(/^.*\//, '') || 'index.html');
  if (name === '-') {
    if (!isQuiet) yield { err: 'writing to stdout\n' };
    yield { out: reached.text };
    return 0;
  }
  if (!isQuiet) yield { err: `saving to '${name}'\n` };
  const problem = machine.files.write(fullPath(folder, name), reached.text);
  if (problem !== undefined) return yield* fails(`wget: can't open '${name}': ${problem}\n`);
  if (!isQuiet) yield { err: `'${name}' saved\n` };
  return 0;
};

const curlFlags = ['s', 'S', 'f', 'k', 'L', 'v', 'i', 'I', 'silent', 'show-error', 'fail', 'insecure', 'location', 'head', 'include'];
const curlValues = [
  'o',
  'm',
  'H',
  'X',
  'd',
  'w',
  'max-time',
  'connect-timeout',
  'retry',
  'output',
  'header',
  'request',
  'data',
  'write-out',
  'retry-delay',
];

const curl: RunProgram = function* (args, { machine, folder }) {
  const { options, rest } = readArguments(args, curlFlags, curlValues);
  const [url] = rest;
  if (url === undefined || rest.length > 1) throw new NotSimulatedError('curl');
  const { host, port } = targetOf(url);
  const isSilent = (options.has('s') || options.has('silent')) && !options.has('S') && !options.has('show-error');
  const fail = (code: number, text: string): ReturnType<RunProgram> => fails(isSilent ? '' : `curl: (${code}) ${text}\n`, code);
  const reached = machine.world.reach(host, port, machine.clock.now);
  if ('failure' in reached) {
    if (reached.failure === 'unknown host') return yield* fail(6, `Could not resolve host: ${host}`);
    return yield* fail(7, `Failed to connect to ${host} port ${port} after 0 ms: Could not connect to server`);
  }
  const size = Buffer.byteLength(reached.text);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${size}\r\n\r\n`;
  const isHead = options.has('I') || options.has('head');
  const text = `${isHead || options.has('i') || options.has('include') ? head : ''}${isHead ? '' : reached.text}`;
  const name = options.get('o') ?? options.get('output');
  const problem = name === undefined || name === '-' ? undefined : machine.files.write(fullPath(folder, name), text);
  if (problem !== undefined) return yield* fail(23, 'Failure writing output to destination');
  if (name === undefined || name === '-') yield { out: text };
  const format = options.get('w') ?? options.get('write-out');
  if (format !== undefined) yield { out: format.replace(/%\{(?:http_code|response_code)\}/g, '200').replace(/\\n/g, '\n') };
  return 0;
};

/** `nc -z`, as scripts that wait for a port have it. */
const nc: RunProgram = function* (args, { machine }) {
  const { options, rest } = readArguments(args, ['z', 'v', 'n'], ['w']);
  const [host, port] = rest;
  if (!options.has('z') || host === undefined || !/^\d+$/.test(port ?? '')) throw new NotSimulatedError('nc');
  const reached = machine.world.reach(host, Number(port), machine.clock.now);
  if ('failure' in reached) {
    if (reached.failure === 'unknown host') return yield* fails(`nc: bad address '${host}'\n`);
    return yield* fails(options.has('v') ? `nc: ${host} (${reached.address}:${port}): Connection refused\n` : '');
  }
  if (options.has('v')) yield { err: `${host} (${reached.address}:${port}) open\n` };
  return 0;
};

/** The address of the cluster's name server. */
const nameServer = '10.96.0.10';

const nslookup: RunProgram = function* (args, { machine }) {
  const { rest } = readArguments(args, [], ['type']);
  const [host] = rest;
  if (host === undefined) throw new NotSimulatedError('nslookup');
  yield { out: `Server:\t\t${nameServer}\nAddress:\t${nameServer}:53\n\n` };
  const reached = machine.world.reach(host, undefined, machine.clock.now);
  if ('failure' in reached) {
    yield { out: `** server can't find ${host}: NXDOMAIN\n\n` };
    return 1;
  }
  yield { out: `Name:\t${reached.name}\nAddress: ${reached.address}\n\n` };
  return 0;
};

/** Knows whole names only, unless it is told to search. That there is no such name is an answer too: it ends with 0 all the same. */
const dig: RunProgram = function* (args, { machine }) {
  const [host, ...others] = args.filter((arg) => !arg.startsWith('+') && !arg.startsWith('@') && arg !== 'A');
  const flags = args.filter((arg) => arg.startsWith('+'));
  const known = ['+short', '+search', '+noall', '+answer'];
  if (host === undefined || others.length > 0 || flags.some((flag) => !known.includes(flag))) throw new NotSimulatedError('dig');
  const isWhole = host.split('.').length > 2 || flags.includes('+search');
  const reached = machine.world.reach(host, undefined, machine.clock.now);
  const found = isWhole && !('failure' in reached) ? reached : undefined;
  const answer = found ? `${found.name}.\t30\tIN\tA\t${found.address}\n` : '';
  if (flags.includes('+short')) return yield* prints(found ? `${found.address}\n` : '');
  if (flags.includes('+noall')) return yield* prints(flags.includes('+answer') ? answer : '');
  const question = `${found?.name ?? host.replace(/\.$/, '')}.`;
  const counts = `QUERY: 1, ANSWER: ${found ? 1 : 0}, AUTHORITY: 0, ADDITIONAL: 0`;
  yield { out: `\n; <<>> DiG <<>> ${args.join(' ')}\n;; global options: +cmd\n;; Got answer:\n` };
  yield { out: `;; ->>HEADER<<- opcode: QUERY, status: ${found ? 'NOERROR' : 'NXDOMAIN'}, id: 1\n;; flags: qr aa rd; ${counts}\n\n` };
  yield { out: `;; QUESTION SECTION:\n;${question}\tIN\tA\n\n${found ? `;; ANSWER SECTION:\n${answer}\n` : ''}` };
  yield { out: `;; Query time: 0 msec\n;; SERVER: ${nameServer}#53(${nameServer}) (UDP)\n\n` };
  return 0;
};

/** `ping -c N`. */
const ping: RunProgram = function* (args, context) {
  const { options, rest } = readArguments(args, ['q'], ['c', 'W', 'w', 'i']);
  const [host] = rest;
  const count = Number(options.get('c') ?? Number.POSITIVE_INFINITY);
  if (host === undefined || !(count > 0)) throw new NotSimulatedError('ping');
  const reached = context.machine.world.reach(host, undefined, context.machine.clock.now);
  if ('failure' in reached && reached.failure === 'unknown host') return yield* fails(`ping: bad address '${host}'\n`);
  yield { out: `PING ${host} (${reached.address}): 56 data bytes\n` };
  for (let sent = 0; sent < count; sent++) {
    context.machine.steps.take();
    if (sent > 0) yield* pause(context, 1_000);
    if ('text' in reached) yield { out: `64 bytes from ${reached.address}: seq=${sent} ttl=64 time=0.050 ms\n` };
  }
  const received = 'text' in reached ? count : 0;
  yield {
    out: `\n--- ${host} ping statistics ---\n${count} packets transmitted, ${received} packets received, ${received > 0 ? 0 : 100}% packet loss\n`,
  };
  return received > 0 ? 0 : 1;
};

export const onNetwork: Readonly<Record<string, RunProgram>> = { curl, dig, nc, nslookup, ping, wget };
