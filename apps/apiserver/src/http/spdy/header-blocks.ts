import { constants, deflateRawSync, deflateSync, inflateRawSync } from 'node:zlib';

/** What both sides of SPDY/3 begin their compression with: words, each with its length before it, and a tail (SPDY/3, section 2.6.10.1). */
const words =
  `options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization
cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type
date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards
pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via
warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin`
    .split(/\s+/)
    .map((word) => word.replace('_', ' '));
const tail =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505' +
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found' +
  '500 Internal Server Error501 Not Implemented503 Service Unavailable' +
  'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT' +
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,' +
  'publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

export const dictionary = Buffer.concat([...words.map((word) => sized(Buffer.from(word))), Buffer.from(tail)]);

/** Of what was sent before, as much as compression can refer to, bytes. */
const historyMax = 32 * 1024;
/** Header and identifier of the dictionary at the beginning of the compressed stream, bytes. */
const prefix = 6;
/** Headers of one stream, decompressed, bytes. */
const blockMax = 64 * 1024;
const flush = { finishFlush: constants.Z_SYNC_FLUSH } as const;

/**
 * Headers of the streams of one connection. One compressed stream runs through all of them, each block ended by a flush: so each can be taken
 * by itself, with what came before as its dictionary.
 */
export class HeaderReader {
  private history = dictionary;
  private isFirst = true;

  /** @throws Error for what is no block of headers */
  read(block: Buffer): Map<string, string> {
    const raw = this.isFirst ? block.subarray(prefix) : block;
    this.isFirst = false;
    const plain = inflateRawSync(raw, { ...flush, dictionary: this.history, maxOutputLength: blockMax });
    this.history = Buffer.concat([this.history, plain]).subarray(-historyMax);
    return pairs(plain);
  }
}

/** Blocks without a header in them: all that a server answers streams with. */
export class EmptyHeaders {
  private isFirst = true;

  next(): Buffer {
    const none = Buffer.alloc(4);
    const block = this.isFirst ? deflateSync(none, { ...flush, dictionary }) : deflateRawSync(none, flush);
    this.isFirst = false;
    return block;
  }
}

function pairs(plain: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const length = plain.readUInt32BE(at);
    if (at + 4 + length > plain.length) throw new Error('headers break off');
    at += 4 + length;
    return plain.toString('latin1', at - length, at);
  };
  for (let count = plain.readUInt32BE(0); count > 0; count--) headers.set(text().toLowerCase(), text());
  return headers;
}

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
