import { jsonText, type KubeObject } from '#libs/kernel';
import {
  apiVersionOf,
  isFailure,
  notAcceptableForList,
  notAcceptableForObject,
  printObjectTable,
  readIncludeObject as readTableOption,
  scaleOf,
  scalePrinting,
  type Failure,
  type IncludeObject,
  type ResourceKind,
} from '#libs/kube-api';
import { jsonType, type Answer } from '../http/answer';
import type { Negotiated } from '../negotiation/accept';
import { jsonValue } from './json-value';
import { itemJson, objectJson, partialJson, viewOf } from './object-json';
import type { ListMetadata, Presentation } from './presentation';
import { hasMessages, listProtobuf, objectProtobuf, protobufType, textProtobuf } from './protobuf';
import { bytesOf, grouped, joined, type ListText } from './list-text';
import { tableText } from './table';

/** `includeObject` of a request; only Tables look at it. */
export function readIncludeObject(text: string, negotiated: Negotiated): IncludeObject | Failure {
  return negotiated.as === 'Table' ? readTableOption(text) : 'Metadata';
}

/** One object, as asked for. */
function presentObject(kind: ResourceKind, object: KubeObject, presentation: Presentation): string | Failure {
  const { as, asVersion = 'v1' } = presentation.negotiated;
  switch (as) {
    case undefined:
      return objectJson(kind, object);
    case 'PartialObjectMetadata':
      return partialJson(kind, object, asVersion);
    case 'Table':
      return joined(tableText(kind, [object], { resourceVersion: object.metadata.resourceVersion ?? '' }, presentation, asVersion));
    case 'PartialObjectMetadataList':
      return notAcceptableForObject(as, `*${internalPackage(kind)}.${kind.kind}`);
  }
}

/** The Scale of a workload. */
export function presentScale(kind: ResourceKind, workload: KubeObject, { negotiated, includeObject, now }: Presentation): string {
  const scale = scaleOf(kind.form ? viewOf(kind, workload) : workload, kind.strategy);
  if (negotiated.as === 'Table') return JSON.stringify(printObjectTable(scalePrinting, scale, { now, includeObject }));
  return negotiated.as === 'PartialObjectMetadata' ? partialJson(kind, scale, negotiated.asVersion ?? 'v1') : JSON.stringify(scale);
}

/** A list, written out item by item. */
function presentList(
  kind: ResourceKind,
  objects: readonly KubeObject[],
  metadata: ListMetadata,
  presentation: Presentation,
): ListText | Failure {
  const { as, asVersion = 'v1' } = presentation.negotiated;
  switch (as) {
    case undefined:
      if (kind.form) return customListText(kind, objects, metadata);
      return listText(
        `${kind.kind}List`,
        kind.apiVersion,
        metadata,
        objects.map((object) => itemJson(kind, object)),
      );
    case 'PartialObjectMetadataList': {
      const items = grouped(objects, (object) => partialJson(kind, object, asVersion));
      const apiVersion = apiVersionOf('meta.k8s.io', asVersion);
      // Unlike any other list, this one is null when it is empty.
      const text = listText('PartialObjectMetadataList', apiVersion, metadata, items);
      return objects.length > 0 ? text : { head: text.head.slice(0, -1), items, tail: 'null}' };
    }
    case 'Table':
      return tableText(kind, objects, metadata, presentation, asVersion);
    case 'PartialObjectMetadata':
      return notAcceptableForList(as, `*${internalPackage(kind)}.${kind.kind}List`);
  }
}

/** Lists of custom kinds are maps, as their objects are. */
function customListText(kind: ResourceKind, objects: readonly KubeObject[], metadata: ListMetadata): ListText {
  const { continue: next = '', remainingItemCount, resourceVersion } = metadata;
  const shown = JSON.stringify({ continue: next, remainingItemCount, resourceVersion });
  return {
    head: `{"apiVersion":"${kind.apiVersion}","items":[`,
    items: objects.map((object) => itemJson(kind, object)),
    tail: `],"kind":"${kind.listKind}","metadata":${shown}}`,
  };
}

function listText(kind: string, apiVersion: string, metadata: ListMetadata, items: Iterable<string>): ListText {
  return { head: `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`, items, tail: ']}' };
}

/** Where upstream keeps the kind's internal form: `core`, `apps`. */
function internalPackage({ group, schema, storage }: ResourceKind): string {
  if (storage === 'events') return 'core';
  return schema?.name.split('.')[0] ?? group;
}

/** A list as the answer that was negotiated. */
export async function listAnswer(
  kind: ResourceKind,
  objects: readonly KubeObject[],
  metadata: ListMetadata,
  presentation: Presentation,
): Promise<Answer | Failure> {
  const { negotiated } = presentation;
  if (negotiated.format === 'protobuf' && negotiated.as === undefined && hasMessages(kind))
    return {
      status: 200,
      contentType: protobufType,
      body: listProtobuf(kind, objects, metadata),
      compressible: true,
      json: () => inJson(presentList(kind, objects, metadata, presentation)),
    };
  const text = presentList(kind, objects, metadata, presentation);
  if (isFailure(text)) return text;
  if (negotiated.format === 'json' && !negotiated.pretty)
    return { status: 200, contentType: jsonType, body: bytesOf(text), compressible: true };
  return answerOf(200, joined(text), negotiated);
}

/** One object as the answer that was negotiated. */
export async function oneAnswer(
  status: number,
  kind: ResourceKind,
  object: KubeObject,
  presentation: Presentation,
): Promise<Answer | Failure> {
  const { negotiated } = presentation;
  if (negotiated.format === 'protobuf' && negotiated.as === undefined && hasMessages(kind))
    return {
      status,
      contentType: protobufType,
      body: objectProtobuf(kind, object),
      compressible: true,
      json: () => objectJson(kind, object),
    };
  const json = presentObject(kind, object, presentation);
  return isFailure(json) ? json : answerOf(status, json, negotiated);
}

function inJson(text: ListText | Failure): string {
  return isFailure(text) ? JSON.stringify(text) : joined(text);
}

/** JSON text as the answer that was negotiated: compact, indented, YAML, or the message of what it says. */
export async function answerOf(status: number, json: string, negotiated: Negotiated): Promise<Answer> {
  if (negotiated.format === 'yaml') {
    const { yamlOf } = await import('./yaml.js');
    return { status, contentType: 'application/yaml', body: yamlOf(json), compressible: true, json };
  }
  const message = negotiated.format === 'protobuf' ? textProtobuf(json) : undefined;
  if (message) return { status, contentType: protobufType, body: message, compressible: true, json };
  const body = negotiated.pretty ? pretty(json) : `${json}\n`;
  return { status, contentType: jsonType, body, compressible: true };
}

/** Indented for people. */
function pretty(json: string): string {
  return jsonText(jsonValue(json), 2);
}

/** A refusal: never a Table, but YAML where YAML was asked for. */
export async function refusalOf(status: Failure, negotiated: Negotiated): Promise<Answer> {
  const answer = await answerOf(status.code, JSON.stringify(status), negotiated);
  const seconds = status.details?.retryAfterSeconds;
  return seconds ? { ...answer, headers: { 'Retry-After': String(seconds) } } : answer;
}
