import type { FuzzRequest } from './requests';

export const lineBreak = '\r\n';
const chunkSize = 700;

/** As it goes over HTTP/1.1. */
export function serialized({ method, path, headers, body, isChunked }: FuzzRequest, host: string, token: string): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`];
  if (!headers.some(([name]) => name === 'authorization')) lines.push(`authorization: Bearer ${token}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (body && isChunked) lines.push('transfer-encoding: chunked');
  else if (body) lines.push(`content-length: ${body.length}`);
  const head = Buffer.from(`${lines.join(lineBreak)}${lineBreak}${lineBreak}`, 'latin1');
  if (!body) return head;
  return Buffer.concat(isChunked ? [head, ...chunksOf(body)] : [head, body]);
}

function chunksOf(body: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const size = Math.max(chunkSize, Math.ceil(body.length / 50));
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from(lineBreak));
  }
  return [...pieces, Buffer.from('0\r\n\r\n')];
}
