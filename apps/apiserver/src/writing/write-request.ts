import type { IncomingHttpHeaders } from 'node:http';
import type { Origin } from '#libs/control-loop';
import {
  badRequest,
  bodyFormatOf,
  bodyMediaTypes,
  bodyTooLarge,
  findSubresource,
  timeout,
  unsupportedMediaType,
  type BodyFormat,
  type BodyKind,
  type Failure,
  type ResourceKind,
} from '#libs/kube-api';
import type { User } from '#libs/kube-api';
import type { AuditNotes } from '../audit/request-audit';
import { bodyMax, type ReadBody } from '../http/body';
import type { ResourceRequest } from '../reading/resource-request';

/** A request that changes something: with a body, and with somebody behind it. */
export interface MutatingRequest extends ResourceRequest {
  headers: IncomingHttpHeaders;
  user: User;
  origin: Origin;
  readBody(): Promise<ReadBody>;
  /** Absent: the request is not recorded. */
  audit?: AuditNotes;
}

export interface Body {
  bytes: Buffer;
  format: BodyFormat;
}

/** Another version of the kind than the one it is stored in, for the write to be converted. */
export function versionOf({ conversion, groupResource, storage, version, apiVersion }: ResourceKind): { version?: string } {
  if (!conversion) return {};
  return { version: storage === groupResource ? version : apiVersion };
}

/** The body whole, in a format that is read here. */
export async function bodyOf(request: MutatingRequest): Promise<Body | Failure> {
  const format = bodyFormatOf(request.headers['content-type']);
  if (!format) return unsupportedMediaType(bodyMediaTypes);
  const bytes = await bytesOf(request);
  return Buffer.isBuffer(bytes) ? { bytes, format } : bytes;
}

export async function bytesOf(request: MutatingRequest): Promise<Buffer | Failure> {
  const body = await request.readBody();
  if (body.kind === 'read') return body.bytes;
  if (body.kind === 'too-slow') return timeout('request did not complete within the allotted timeout');
  return body.kind === 'too-large' ? bodyTooLarge(bodyMax) : badRequest('the body of the request ended before its end');
}

/** The kind that bodies of this request have: that of the subresource, if there is one. */
export function bodyKind({ kind, subresource }: MutatingRequest): BodyKind {
  return (subresource === undefined ? undefined : findSubresource(kind, subresource)) ?? kind;
}
