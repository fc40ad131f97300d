// Status, headers and body of one answer against the recording.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../play/client';
import { compareBody } from './values';
import type { CompareContext } from './context';
import { report } from './context';
import {
  isNotKept,
  isOpenApiDocument,
  keepsAllHeaders,
  keptHeaders,
  lengthMayDifferBy,
  neverKeptHeaders,
  plainContentType,
  withoutWords,
} from './left-open';
import { describe, mismatch, show } from './match';
import type { RecordedRequest, RecordedResponse } from '../recording';

const collection = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/)?[^/]+$/;

/** Whether a request reads a whole collection: `/api/v1/pods`, `/apis/g/v/namespaces/n/things`, but not `/api/v1/namespaces/n`. */
export function readsCollection(request: RecordedRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'DELETE') return false;
  const path = request.path.replace(/\/$/, '');
  if (!collection.test(path)) return false;
  return !/^\/api\/v1\/namespaces\/[^/]+$/.test(path);
}

export function compareHeaders(
  context: CompareContext,
  expected: RecordedResponse['headers'],
  actual: Answer['headers'],
  all: boolean,
): void {
  const wanted = new Map(
    Object.entries(expected ?? {}).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value : [value]]),
  );
  for (const [name, values] of wanted) {
    const ours = actual.get(name);
    if (ours === undefined) {
      report(context, `headers.${name}`, `missing, expected ${show(values.length === 1 ? values[0] : values)}`);
    } else if (ours.length !== values.length) {
      report(context, `headers.${name}`, describe(values, ours));
    } else {
      for (const [index, value] of values.entries()) {
        const reason = mismatch(context, value, ours[index] ?? '');
        if (reason !== undefined) report(context, `headers.${name}${values.length > 1 ? `[${index}]` : ''}`, reason);
      }
    }
  }
  for (const [name, values] of actual) {
    if (wanted.has(name) || neverKeptHeaders.has(name)) continue;
    if (!all && (!keptHeaders.has(name) || (name === 'content-type' && values[0] === plainContentType))) continue;
    report(context, `headers.${name}`, `unexpected, got ${show(values.length === 1 ? values[0] : values)}`);
  }
}

/** `dir`: the folder of the recordings, for bodies kept in files. */
export function compareResponse(
  context: CompareContext,
  request: RecordedRequest,
  expected: RecordedResponse,
  answer: Answer,
  dir: string,
): unknown {
  if (answer.status !== expected.status) report(context, 'status', describe(expected.status, answer.status));
  compareHeaders(context, expected.headers, answer.headers, keepsAllHeaders(context.header));
  if (expected.binary !== undefined) {
    compareBinary(context, expected.binary, answer.body);
    return undefined;
  }
  const text = answer.body.toString('utf8');
  if (expected.text !== undefined) {
    const reason = mismatch(context, expected.text, text);
    if (reason !== undefined) report(context, 'text', reason);
    return undefined;
  }
  const wanted = expected.bodyFile === undefined ? expected.body : bodyInFile(expected.bodyFile, dir);
  if (expected.bodyFile !== undefined && isNotKept(expected.bodyFile)) {
    if (text === '') report(context, 'body', 'empty');
    return undefined;
  }
  if (wanted === undefined) {
    if (text !== '') report(context, 'body', `unexpected, got ${show(text)}`);
    return undefined;
  }
  const body = parse(text);
  if (body === undefined) report(context, 'body', `is no JSON: ${show(text)}`);
  else if (isOpenApiDocument(expected.bodyFile)) compareBody(context, withoutWords(wanted), withoutWords(body), 'body', false);
  else compareBody(context, wanted, body, 'body', readsCollection(request));
  return body;
}

function bodyInFile(bodyFile: string, dir: string): unknown {
  return isNotKept(bodyFile) ? undefined : JSON.parse(readFileSync(join(dir, bodyFile), 'utf8'));
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function compareBinary(context: CompareContext, expected: { length: number; startsWith: string }, body: Buffer): void {
  const begins = body.subarray(0, expected.startsWith.length / 2).toString('hex');
  if (begins !== expected.startsWith) report(context, 'binary.startsWith', describe(expected.startsWith, begins));
  if (body.length === 0 || Math.abs(body.length - expected.length) > lengthMayDifferBy(expected.length)) {
    report(context, 'binary.length', describe(expected.length, body.length));
  }
}
