import type { RunProgram } from '../context';
import { fullPath, parentOf, type Files } from '../files';
import { NotSimulatedError } from '../process';
import { fails, readArguments } from './helpers';

/** Bytes of a block: heads and contents are filled up to it. */
const block = 512;
const flags = ['x', 'c', 'm', 'v', 'p', 'o', 'no-same-permissions', 'no-same-owner', 'warning'];

/** `tar xf - [-C DIR]` and `tar cf - PATH …`, as `kubectl cp` sends them: plain files and folders, through the input and the output. */
export const tar: RunProgram = function* (args, { machine, stdin, folder }) {
  const [first = '', ...others] = args;
  const { options, rest } = readArguments(/^[a-zA-Z]+$/.test(first) ? [`-${first}`, ...others] : args, flags, ['f', 'C']);
  if ((options.get('f') ?? '-') !== '-' || options.has('x') === options.has('c')) throw new NotSimulatedError('tar');
  const at = fullPath(folder, options.get('C') ?? '.');
  const { files } = machine;
  if (!files.isFolder(at)) return yield* fails(`tar: can't change directory to '${options.get('C')}': No such file or directory\n`);
  if (options.has('x')) {
    const problem = unpack(yield* stdin.all(), at, files);
    return problem === undefined ? 0 : yield* fails(`tar: ${problem}\n`);
  }
  let code = 0;
  for (const path of rest) {
    const full = fullPath(at, path);
    if (files.exists(full)) yield* packed(files, full, path.replace(/^\/+/, ''), machine.clock.now);
    else {
      yield { err: `tar: ${path}: No such file or directory\n` };
      code = 1;
    }
  }
  yield { out: Buffer.alloc(2 * block) };
  return code;
};

function* packed(files: Files, path: string, name: string, now: number): Generator<{ out: Buffer }, void> {
  if (files.isFolder(path)) {
    yield { out: headOf(`${name.replace(/\/$/, '')}/`, 0, '5', now) };
    for (const each of files.list(path)) yield* packed(files, fullPath(path, each), `${name.replace(/\/$/, '')}/${each}`, now);
    return;
  }
  const content = files.read(path) ?? Buffer.alloc(0);
  const longest = 100;
  if (Buffer.byteLength(name) > longest) {
    const long = Buffer.from(`${name}\0`);
    yield { out: Buffer.concat([headOf('././@LongLink', long.length, 'L', now), filled(long)]) };
  }
  yield { out: Buffer.concat([headOf(name.slice(0, longest), content.length, '0', now), filled(content)]) };
}

function filled(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)]);
}

/** A head of the ustar format. */
function headOf(name: string, size: number, type: string, now: number): Buffer {
  const head = Buffer.alloc(block);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  head.write(name, 0, 100);
  head.write(octal(type === '5' ? 0o755 : 0o644, 7), 100);
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  head.write(octal(size, 11), 124);
  head.write(octal(Math.floor(now / 1_000), 11), 136);
  head.write('        ', 148);
  head.write(type, 156);
  head.write('ustar\0', 257, 'latin1');
  head.write('00', 263);
  let sum = 0;
  for (const byte of head) sum += byte;
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

/** What is wrong with the archive, or nothing. */
function unpack(archive: Buffer, at: string, files: Files): string | undefined {
  let longName: string | undefined;
  for (let place = 0; place + block <= archive.length;) {
    const head = archive.subarray(place, place + block);
    if (head.every((byte) => byte === 0)) return undefined;
    const size = Number.parseInt(textAt(head, 124, 12), 8);
    if (!(size >= 0) || textAt(head, 257, 5) !== 'ustar') return 'invalid tar header';
    const content = archive.subarray(place + block, place + block + size);
    if (content.length < size) return 'short read';
    place += block + Math.ceil(size / block) * block;
    const type = textAt(head, 156, 1);
    const prefix = textAt(head, 345, 155);
    const name = longName ?? `${prefix === '' ? '' : `${prefix}/`}${textAt(head, 0, 100)}`;
    longName = type === 'L' ? textAt(content, 0, size) : type === 'x' ? paxPath(content) : undefined;
    const path = fullPath(at, `./${name}`);
    if (type === '5') files.makeFolder(path);
    else if (type === '0' || type === '') {
      files.makeFolder(parentOf(path));
      const problem = files.write(path, Buffer.from(content));
      if (problem !== undefined) return `can't open '${name}': ${problem}`;
    }
  }
  return archive.length === 0 ? 'short read' : undefined;
}

function textAt(bytes: Buffer, start: number, length: number): string {
  return bytes
    .subarray(start, start + length)
    .toString('utf8')
    .replace(/\0[^]*$/, '')
    .trim();
}

/** The name that an extended head of POSIX gives the next file. */
function paxPath(content: Buffer): string | undefined {
  return /\d+ path=(.*)\n/.exec(content.toString('utf8'))?.[1];
}
