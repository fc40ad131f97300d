// Bytes that are no request of HTTP, or hardly.
import { mutated } from './bodies';
import type { Draw } from './draw';
import type { FuzzRequest } from './requests';
import { lineBreak, serialized } from './wire';

const brokenLines = [
  'GET /api/v1/pods',
  'GET /api/v1/pods HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ncontent-length: 6',
  'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\ncontent-length: 4',
  'GET /api/v1/pods HTTP/9.9\r\nhost: 127.0.0.1',
  'GET  /api/v1/pods HTTP/1.1\r\nhost: 127.0.0.1',
  'PRI * HTTP/2.0\r\n\r\nSM',
  'GET /api HTTP/1.0',
  'GET http://127.0.0.1/api HTTP/1.1\r\nhost: 127.0.0.1',
  'CONNECT 127.0.0.1:80 HTTP/1.1\r\nhost: 127.0.0.1',
  'GET * HTTP/1.1\r\nhost: 127.0.0.1',
  'GET /api HTTP/1.1\r\nhost: a\r\nhost: b',
  'GET /api HTTP/1.1\r\nhost : 127.0.0.1',
  'GET /api HTTP/1.1\r\n folded: x\r\nhost: 127.0.0.1',
  '\0\0\0\0',
  '{"json":true}',
];

const lengths = ['-1', '1', '99999', '0x10', '1e3', '+5', ' ', '99999999999999999999'];
const chunkSizes = ['5', 'ffffffffffffffff', '-1', 'zz', '0'];

/** A request broken in its head, in its lengths, or before its end; or something that never was one. `@token@` stands for the token. */
export function brokenBytes(draw: Draw, request: FuzzRequest): Buffer {
  if (draw.oneIn(4)) return Buffer.from(`${draw.of(brokenLines)}${lineBreak.repeat(draw.index(3))}`, 'latin1');
  const whole = serialized(request, '127.0.0.1', '@token@');
  switch (draw.index(4)) {
    case 0:
      return whole.subarray(0, draw.index(whole.length));
    case 1:
      return replaced(whole, /content-length: \d+/, `content-length: ${draw.of(lengths)}`);
    case 2:
      return replaced(whole, /content-length: \d+\r\n\r\n/, `transfer-encoding: chunked\r\n\r\n${draw.of(chunkSizes)}\r\n`);
    default:
      return mutated(whole, draw);
  }
}

function replaced(bytes: Buffer, pattern: RegExp, text: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(pattern, text), 'latin1');
}
