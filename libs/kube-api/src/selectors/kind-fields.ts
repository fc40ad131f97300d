import type { KubeObject } from '#libs/kernel';
import { goQuote } from '../status/go-value';

export type ReadField = (object: KubeObject) => string;
/** A field that selectors may name, and how its value is read. */
export type FieldLabel = readonly [label: string, read: ReadField];

export interface KindFields {
  /** Fields a selector may name, each with how its value is read; absent fields read as the empty text. */
  readonly labels: ReadonlyMap<string, ReadField>;
  /** How an unknown field is refused. */
  readonly refusal: (label: string) => string;
}

/** What a selector compares: texts, and whatever else as text. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}

/** Reads the value below these keys, as text; empty where there is none. */
export function fieldAt(...keys: string[]): ReadField {
  return (object) => {
    let value: unknown = object;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null) return '';
      value = (value as Record<string, unknown>)[key];
    }
    return fieldText(value);
  };
}

/** A field under its own path. */
export function simpleField(path: string): FieldLabel {
  return [path, fieldAt(...path.split('.'))];
}

export const nameField: FieldLabel = ['metadata.name', (object) => object.metadata.name];
export const namespaceField: FieldLabel = ['metadata.namespace', (object) => object.metadata.namespace ?? ''];

/** Of a kind that has fields beside those of metadata. */
export function fieldsOf(...labels: FieldLabel[]): KindFields {
  return { labels: new Map(labels), refusal: (label) => `field label not supported: ${label}` };
}

/** As `fieldsOf`, for the kinds that name themselves when they refuse a field. */
export function fieldsOfKind(kind: string, ...labels: FieldLabel[]): KindFields {
  return { labels: new Map(labels), refusal: (label) => `field label ${goQuote(label)} not supported for ${kind}` };
}

/** Of a kind that has no other fields. */
export const metadataFields: KindFields = {
  labels: new Map([nameField, namespaceField]),
  refusal: (label) => `${goQuote(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};
