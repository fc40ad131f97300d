// The forms in which a watch can be had, and how each is held against what was written.
import { openEnvelope, readFields, type Field } from '../golden/api/play/protobuf-wire';
import { readFrame, type Frame } from './collection';
import type { Stored, Told, Version } from './history';
import { inOrder, isSameJson } from './json';

export interface Form {
  name: string;
  accept: string;
  /** Added to the query. */
  query?: string;
  read: (frame: Buffer) => Frame;
  /** What a frame says, in the words of `expected`. */
  said: (frame: Frame) => string;
  expected: (told: Told) => string;
  /** For what is not written as expected, and may say the same. */
  saysTheSame?: (frame: Frame, told: Told) => boolean;
  /** Metadata of a bookmark. */
  bookmark: (frame: Frame) => BookmarkMetadata;
}

export interface BookmarkMetadata {
  resourceVersion: string;
  annotations?: Record<string, string>;
}

const readLine = (frame: Buffer): Frame => readFrame(frame.toString('utf8'));
const metadataText = new WeakMap<Version, string>();

function metadataOf(version: Version): string {
  let text = metadataText.get(version);
  if (text === undefined) metadataText.set(version, (text = inOrder(version.object.metadata)));
  return text;
}

type Loose = { metadata: BookmarkMetadata };
const metadataIn = ({ text }: Frame): BookmarkMetadata => (JSON.parse(text) as Loose).metadata;

const plain: Form = {
  name: 'plain',
  accept: 'application/json',
  read: readLine,
  said: ({ type, text }) => `${type} ${text}`,
  expected: ({ type, shown }) => `${type} ${shown.text}`,
  saysTheSame: ({ type, text }, told) => type === told.type && isSameJson(text, told.shown.text),
  bookmark: metadataIn,
};

const partial: Form = {
  ...plain,
  saysTheSame: undefined,
  name: 'PartialObjectMetadata',
  accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  said: ({ type, text }) => {
    const { kind, apiVersion, metadata } = JSON.parse(text) as Stored & { apiVersion: string };
    return `${type} ${kind} ${apiVersion} ${inOrder(metadata)}`;
  },
  expected: ({ type, shown }) => `${type} PartialObjectMetadata meta.k8s.io/v1 ${metadataOf(shown)}`,
};

interface Table {
  rows: { cells: unknown[]; object: Loose }[];
}

const rowIn = ({ text }: Frame): Table['rows'][number] => {
  const { rows } = JSON.parse(text) as Table;
  if (rows.length !== 1) throw new Error(`a Table with ${rows.length} rows: ${text.slice(0, 300)}`);
  return rows[0] as Table['rows'][number];
};

const table: Form = {
  name: 'Table',
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  read: readLine,
  said: (frame) => `${frame.type} ${inOrder(rowIn(frame).object.metadata)}`,
  expected: ({ type, shown }) => `${type} ${metadataOf(shown)}`,
  bookmark: (frame) => rowIn(frame).object.metadata,
};

const tableOfObjects: Form = {
  ...table,
  name: 'Table with objects',
  query: 'includeObject=Object',
  said: (frame) => `${frame.type} ${JSON.stringify(rowIn(frame).object)}`,
  expected: ({ type, shown }) => `${type} ${shown.text}`,
  saysTheSame: (frame, { type, shown }) => frame.type === type && isSameJson(JSON.stringify(rowIn(frame).object), shown.text),
};

/** Fields of an ObjectMeta message. */
const meta = { name: 1, namespace: 3, uid: 5, resourceVersion: 6, labels: 11, annotations: 12 };

const valueOf = (fields: readonly Field[], number: number): Buffer =>
  fields.find((field) => field.number === number)?.value ?? Buffer.alloc(0);
const inside = (bytes: Buffer): Field[] => {
  const fields = readFields(bytes);
  if (!fields) throw new Error('no message of protobuf');
  return fields;
};

function mapIn(fields: readonly Field[], number: number): Record<string, string> {
  const entries = fields.filter((field) => field.number === number).map(({ value }) => inside(value));
  return Object.fromEntries(entries.map((entry) => [valueOf(entry, 1).toString(), valueOf(entry, 2).toString()]));
}

function metadataOfMessage({ text }: Frame): Field[] {
  const envelope = openEnvelope(Buffer.from(text, 'latin1'));
  if (!envelope) throw new Error('no envelope');
  return inside(valueOf(inside(envelope.raw), 1));
}

/** Name, uid, version and labels: the rest of the message is compared by the recordings. */
const protobuf: Form = {
  name: 'protobuf',
  accept: 'application/vnd.kubernetes.protobuf;stream=watch',
  read: (frame) => {
    const event = inside(frame);
    const object = inside(valueOf(event, 2));
    return { type: valueOf(event, 1).toString(), text: valueOf(object, 1).toString('latin1') };
  },
  said: (frame) => {
    const fields = metadataOfMessage(frame);
    const texts = [meta.name, meta.namespace, meta.uid, meta.resourceVersion].map((number) => valueOf(fields, number).toString());
    return `${frame.type} ${texts.join(' ')} ${JSON.stringify(mapIn(fields, meta.labels))}`;
  },
  expected: ({ type, shown: { object } }) => {
    const { name, namespace = '', uid, resourceVersion, labels = {} } = object.metadata;
    const sorted = Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    return `${type} ${name} ${namespace} ${uid} ${resourceVersion} ${JSON.stringify(sorted)}`;
  },
  bookmark: (frame) => {
    const fields = metadataOfMessage(frame);
    return { resourceVersion: valueOf(fields, meta.resourceVersion).toString(), annotations: mapIn(fields, meta.annotations) };
  },
};

export const forms: readonly Form[] = [plain, plain, plain, partial, table, tableOfObjects, protobuf, protobuf];
