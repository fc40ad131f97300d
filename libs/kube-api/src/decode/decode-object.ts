import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import type { ObjectForm } from '../kinds/behaviour';
import type { SchemaLookup } from '../kinds/define-kind';
import { apiVersionOf, parseApiVersion } from '../kinds/names';
import type { BodyKind } from '../kinds/resource-kind';
import { decodeMessage, ProtobufError, readEnvelope } from '../protobuf';
import { definition, schemaOf } from '../schema';
import type { Definition, GroupVersionKind } from '../schema';
import { badRequest, goQuote, plainError } from '../status';
import type { Failure } from '../status';
import { convert } from './convert';
import type { Conversion } from './convert';
import { parseJson } from './go-json';
import { WrittenNumber } from './json-reader';
import type { RepeatedKeys } from './repeated-keys';
import { sortedJson } from './schema-unions';
import { noKind, noObject, noText, versionKindError } from './version-kind';
import { parseYaml } from './yaml';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';
export type BodyFormat = 'json' | 'yaml' | 'protobuf';

export interface DecodeOptions {
  format?: BodyFormat;
  /** Upstream's default is Warn. */
  fieldValidation?: FieldValidation;
  /** The kinds that a body may say it has: it is read as such before it is refused for not fitting the path. Absent: those of the release. */
  kinds?: { readonly schemaOf: SchemaLookup };
}

/** The kind that a path stands for. Of a resource, bodies may name former versions as well. */
export type ExpectedKind = BodyKind & { readonly formerVersions?: readonly string[] };

/** `object` is in wire form: pruned, canonical, not yet defaulted. `warnings` are texts for `Warning: 299` headers. */
export interface Decoded {
  readonly ok: true;
  readonly object: KubeObject;
  readonly warnings: string[];
  /** As Go holds the object, where that says more (`Conversion.exact`): validation looks at it first. */
  readonly exact?: KubeObject;
}
export interface Refused {
  readonly ok: false;
  readonly status: Failure;
  /** What was found strange before. */
  readonly warnings?: readonly string[];
}

/** The format of a body by its Content-Type: none is JSON, parameters do not matter; undefined: 415. */
export function bodyFormatOf(contentType: string | undefined): BodyFormat | undefined {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  return type === 'application/vnd.kubernetes.protobuf' ? 'protobuf' : undefined;
}

export const bodyMediaTypes: readonly string[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Thrown inside and caught at the door: the body names no kind that could be read. */
class Unrecognized extends Error {}
/** A body of a custom kind has to say what it is. */
class MissingKind extends Unrecognized {}
/** The kind is known, its content is not that of the kind. */
class Unhandled extends Error {
  constructor(
    readonly actual: GroupVersionKind,
    message: string,
  ) {
    super(message);
  }
}

interface Read {
  readonly actual: GroupVersionKind;
  readonly conversion: Conversion;
  /** Findings of the format itself (duplicate YAML keys). */
  readonly strict: readonly string[];
}

/**
 * Reads a request body as an object of the kind its path stands for. Kind and apiVersion may be left out; another kind or
 * version is refused, as is what Go's decoder would not take (400, upstream's texts).
 */
export function decodeObject(expected: ExpectedKind, body: Uint8Array | string, options: DecodeOptions = {}): Decoded | Refused {
  const validation = options.fieldValidation ?? 'Warn';
  const read = readBody(expected, body, options.format ?? 'json', { ...options, fieldValidation: validation });
  if (!('conversion' in read)) return { ok: false, status: badRequest(read.text) };
  const strict = [...read.strict, ...read.conversion.strict];
  const { actual } = read;
  if (validation === 'Strict' && strict.length > 0) {
    return refuse(`${handling(actual, expected)}: strict decoding error: ${strict.join(', ')}`);
  }
  // Custom kinds look at the kind when they validate.
  if (actual.kind !== expected.kind && !expected.form) {
    return refuse(`${handling(actual, expected)}: converting (${goName(actual)}) to (${internalName(expected)}): unknown conversion`);
  }
  const apiVersion = apiVersionOf(expected.group, expected.version);
  const given = apiVersionOf(actual.group, actual.version);
  if (given !== apiVersion && !isAcceptedVersion(actual)) {
    const refused = refuse(`the API version in the data (${given}) does not match the expected API version (${apiVersion})`);
    return expected.form && validation !== 'Ignore' && strict.length > 0 ? { ...refused, warnings: strict } : refused;
  }
  const named = expected.form ? { ...expected, kind: actual.kind } : expected;
  const { object, warnings } = withoutRepeatedOwners(withKind(named, read.conversion.object));
  const { exact } = read.conversion;
  return {
    ok: true,
    object,
    warnings: validation === 'Ignore' ? warnings : [...strict, ...warnings],
    ...(exact ? { exact: withoutRepeatedOwners(withKind(expected, exact)).object } : {}),
  };
}

/** An owner that is named twice, in every part alike, is kept once, and the client is told. */
function withoutRepeatedOwners(object: KubeObject): { object: KubeObject; warnings: string[] } {
  const owners = object.metadata?.ownerReferences;
  if (!owners || owners.length < 2) return { object, warnings: [] };
  const kept: typeof owners = [];
  const known = new Set<string>();
  const repeated = new Set<string>();
  for (const owner of owners) {
    const text = JSON.stringify(sortedJson(owner as unknown as Json));
    if (known.has(text)) repeated.add(owner.uid);
    else kept.push(owner);
    known.add(text);
  }
  if (repeated.size === 0) return { object, warnings: [] };
  const text =
    '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ';
  return {
    object: { ...object, metadata: { ...object.metadata, ownerReferences: kept } },
    warnings: [`${text}${[...repeated].join(', ')}`],
  };
}

/** Reads the options of a delete: any group's `DeleteOptions`, empty means none given. Errors have no reason (500), as upstream's. */
export function decodeDeleteOptions(body: Uint8Array | string, format: BodyFormat = 'json'): { ok: true; options: JsonObject } | Refused {
  if (body.length === 0) return { ok: true, options: {} };
  const expected = { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions', schema: definition('meta.v1.DeleteOptions') };
  const read = readBody(expected, body, format);
  if (!('conversion' in read)) return { ok: false, status: plainError(read.cause) };
  if (read.actual.kind !== expected.kind) return { ok: false, status: plainError('decoded object cannot be converted to DeleteOptions') };
  return { ok: true, options: read.conversion.object };
}

function refuse(text: string): Refused {
  return { ok: false, status: badRequest(text) };
}

function handling(actual: GroupVersionKind, expected: GroupVersionKind): string {
  return `${actual.kind} in version ${goQuote(actual.version)} cannot be handled as a ${expected.kind}`;
}

/** Key order of every object: kind, apiVersion, the rest. */
function withKind({ group, version, kind }: GroupVersionKind, object: JsonObject): KubeObject {
  const { kind: _, apiVersion: __, ...rest } = object;
  return { kind, apiVersion: apiVersionOf(group, version), ...rest } as unknown as KubeObject;
}

/** Evictions are taken in their former version too. */
function isAcceptedVersion({ group, kind }: GroupVersionKind): boolean {
  return kind === 'Eviction' && group === 'policy';
}

function goName({ version, kind }: GroupVersionKind): string {
  return `${version}.${kind}`;
}

function internalName({ schema, kind }: BodyKind): string {
  const name = schema?.name ?? kind;
  return `${name.split('.')[0]}.${kind}`;
}

type Kinds = DecodeOptions['kinds'];
type Reading = Pick<DecodeOptions, 'kinds' | 'fieldValidation'>;

function readBody(
  expected: ExpectedKind,
  body: Uint8Array | string,
  format: BodyFormat,
  { kinds, fieldValidation }: Reading = {},
): Read | { text: string; cause: string } {
  try {
    return format === 'protobuf' ? readProtobuf(expected, bytesOf(body), kinds) : readText(expected, textOf(body), format, kinds);
  } catch (error) {
    if (error instanceof MissingKind && fieldValidation === 'Ignore')
      return { text: `${handling(expected, expected)}: ${error.message}`, cause: error.message };
    if (error instanceof Unhandled) return { text: `${handling(error.actual, expected)}: ${error.message}`, cause: error.message };
    if (!(error instanceof Unrecognized)) throw error;
    const text = `the object provided is unrecognized (must be of type ${expected.kind}): ${error.message} (${summary(bytesOf(body))})`;
    return { text, cause: error.message };
  }
}

function textOf(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

function bytesOf(body: Uint8Array | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** What error texts show of a body: 30 bytes, as text when it looks like an object, else in hex. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const head = body.subarray(0, 30);
  const more = body.length > 30 ? ' ...' : '';
  return `${head.toString(head[0] === 0x7b ? 'utf8' : 'hex')}${more}`;
}

function readText(expected: ExpectedKind, text: string, format: 'json' | 'yaml', kinds: Kinds): Read {
  let value: Json;
  let duplicates: RepeatedKeys | undefined;
  const strict: string[] = [];
  if (format === 'yaml') {
    const parsed = parseYaml(text);
    if (parsed.error !== undefined) throw new Unrecognized(parsed.error);
    value = parsed.value;
    if (parsed.duplicates) strict.push(parsed.duplicates);
  } else {
    const parsed = parseJson(text);
    if (parsed.error !== undefined) throw new Unrecognized(versionKindError(parsed.error));
    ({ value, duplicates } = parsed);
  }
  return { ...readValue(expected, value, { kinds, duplicates, text }), strict };
}

interface Found {
  readonly kinds: Kinds;
  readonly duplicates: RepeatedKeys | undefined;
  readonly text: string;
}

function readValue(expected: ExpectedKind, value: Json, { kinds, duplicates, text }: Found): Omit<Read, 'strict'> {
  if (value !== null && (!isObject(value) || value instanceof WrittenNumber)) throw new Unrecognized(noObject(value));
  const object = value ?? {};
  const named: Record<'apiVersion' | 'kind', string> = { apiVersion: '', kind: '' };
  for (const key of ['apiVersion', 'kind'] as const) {
    const given = object[spelled(object, key)] ?? '';
    if (typeof given !== 'string') throw new Unrecognized(noText(key, given));
    named[key] = given;
  }
  if (expected.form && named.kind !== 'DeleteOptions') {
    if (named.kind === '') throw new MissingKind(`Object 'Kind' is missing in '${text}'`);
    return readCustom(expected.form, object, named, { kinds, duplicates });
  }
  const { actual, of } = identify(expected, named.apiVersion, named.kind, kinds);
  const conversion = readable(expected, actual, convert(of, object, duplicates));
  return { actual, conversion };
}

/** @throws Unhandled */
function readable(expected: ExpectedKind, actual: GroupVersionKind, conversion: Conversion): Conversion {
  const error = conversion.error ?? (actual.kind === expected.kind ? expected.unreadable?.(conversion.object) : undefined);
  if (error !== undefined) throw new Unhandled(actual, error);
  return conversion;
}

/** An object of a custom kind, read by the version that it says it has. */
function readCustom(
  form: ObjectForm,
  object: JsonObject,
  { apiVersion, kind }: Record<'apiVersion' | 'kind', string>,
  { duplicates }: Omit<Found, 'text'>,
): Omit<Read, 'strict'> {
  const version = parseApiVersion(apiVersion);
  if (!version) throw new Unrecognized(versionKindError(`unexpected GroupVersion string: ${apiVersion}`));
  const actual = { ...version, kind };
  const conversion = form.read(object, duplicates, actual);
  if (conversion.error !== undefined) throw new Unhandled(actual, conversion.error);
  return { actual, conversion };
}

/** Whoever looks for version and kind alone does not mind how their names are spelled; the last one counts. */
function spelled(object: JsonObject, name: string): string {
  const folded = name.toLowerCase();
  let last = name;
  for (const key of Object.keys(object)) if (key.length === name.length && key.toLowerCase() === folded) last = key;
  return last;
}

function readProtobuf(expected: ExpectedKind, body: Buffer, kinds: Kinds): Read {
  let actual: GroupVersionKind | undefined;
  try {
    const envelope = readEnvelope(body);
    if (expected.form && envelope.kind !== 'DeleteOptions') throw new ProtobufError('unable to decode a custom resource from protobuf');
    const identified = identify(expected, envelope.apiVersion, envelope.kind, kinds);
    actual = identified.actual;
    const conversion = readable(expected, actual, convert(identified.of, decodeMessage(identified.of, envelope.message)));
    return { actual, conversion, strict: [] };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw actual ? new Unhandled(actual, error.message) : new Unrecognized(error.message);
  }
}

/** The kind a body says it has, completed from the path, and how it is read. */
function identify(
  expected: ExpectedKind,
  apiVersion: string,
  kindGiven: string,
  kinds: Kinds,
): { actual: GroupVersionKind; of: Definition } {
  const kind = kindGiven === '' ? expected.kind : kindGiven;
  const own = apiVersionOf(expected.group, expected.version);
  const version = apiVersion === '' ? { group: expected.group, version: expected.version } : parseApiVersion(apiVersion);
  if (!version) throw new Unrecognized(versionKindError(`unexpected GroupVersion string: ${apiVersion}`));
  const actual = { ...version, kind };
  if (kind === 'DeleteOptions') return { actual, of: definition('meta.v1.DeleteOptions') };
  const isExpected = kind === expected.kind && actual.group === expected.group && actual.version === expected.version;
  const found = isExpected ? expected.schema : kinds ? kinds.schemaOf(actual) : schemaOf(actual);
  if (found) return { actual, of: found };
  // A former version of the kind: read as the present one; the caller refuses it for its version.
  const former =
    kind === expected.kind &&
    (expected.formerVersions?.includes(apiVersion) || (isAcceptedVersion(actual) && version.version === 'v1beta1'));
  const of = former ? expected.schema : undefined;
  if (of) return { actual, of };
  throw new Unhandled(actual, noKind(kind, apiVersion || own));
}
