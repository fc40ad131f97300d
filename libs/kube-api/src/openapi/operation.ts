import { patchMediaTypes } from '../patch';
import type { Definition } from '../schema';
import type { Parameter } from './parameters';

/** What can be done at a path, without the words of a particular version of OpenAPI. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';
  readonly operationId: string;
  /** Under which clients group their methods: `core_v1`. */
  readonly tag: string;
  /** Absent of what is about no kind. */
  readonly action?: string;
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly query: readonly Parameter[];
  /** Of the request body; `patch`: any of the patch types. */
  readonly body?: Definition | 'patch';
  /** Of the answer; absent: text. */
  readonly result?: Definition;
  /** Of a custom kind: there are no messages of it, and no strategic merge patches. */
  readonly isCustom?: boolean;
  /** The media types of the answer; absent: those of an object. */
  readonly answers?: 'list' | 'text' | 'anything' | readonly string[];
}

export interface Endpoint {
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly operations: readonly Operation[];
}

/** The answers that there can be beside 401, in order. */
export function statusesOf({ action }: Operation): readonly string[] {
  switch (action) {
    case 'post':
      return ['200', '201', '202'];
    case 'put':
    case 'patch':
      return ['200', '201'];
    case 'delete':
      return ['200', '202'];
    default:
      return ['200'];
  }
}

export const statusTexts: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

const objectTypes = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];
const listTypes = [
  'application/json',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/yaml',
];

const customTypes = ['application/json', 'application/yaml'];

/** Media types of patches. By them kubectl decides how it patches. */
export function patchTypesOf({ isCustom }: Operation): readonly string[] {
  return isCustom ? patchMediaTypes.filter((type) => !type.includes('strategic')) : patchMediaTypes;
}

/** Media types of the answer, sorted. */
export function mediaTypesOf({ answers, isCustom }: Operation): readonly string[] {
  if (isCustom) return customTypes;
  if (answers === undefined) return objectTypes;
  if (answers === 'list') return listTypes;
  if (answers === 'text') return [...objectTypes, 'text/plain'];
  return answers === 'anything' ? ['*/*'] : answers;
}

/** Parameters that every operation of a path has: they are told once for all of them. */
export function sharedQuery({ operations }: Endpoint): readonly Parameter[] {
  const [first, ...others] = operations;
  return (first?.query ?? []).filter(({ name }) => others.every(({ query }) => query.some((parameter) => parameter.name === name)));
}
