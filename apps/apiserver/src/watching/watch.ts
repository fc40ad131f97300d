import { HistoryForgottenError } from '#libs/event-log';
import { isFailure, notAcceptableRepresentation, resourceVersionTooLarge, watchVersionExpired, type Failure } from '#libs/kube-api';
import { derivedIndex } from '#libs/kernel';
import { leaseNamespace, leaseResource } from '#libs/kubelet';
import { jsonType, type StreamAnswer, type StreamSink } from '../http/answer';
import { readableTypes } from '../negotiation/accept';
import { converted } from '../reading/converted';
import { pageOf } from '../reading/page';
import type { ResourceRequest } from '../reading/resource-request';
import { hasMessages, protobufType } from '../wire/protobuf';
import { viewOf } from '../wire/object-json';
import { readIncludeObject } from '../wire/representation';
import { CatchUp, listen } from './catch-up';
import { errorFrame, FrameWriter } from './frames';
import { ConvertingSession } from './converting-session';
import { WatchSession, type SessionOptions } from './watch-session';
import { readWatchOptions, type WatchOptions } from './watch-options';

/** Without `timeoutSeconds` a watch lasts from half an hour to an hour, ms. */
const lastsMinMs = 1_800_000;
/** Longest wait that a timer takes. */
const timeoutMaxMs = 2_147_483_647;

/** GET with `watch`: a stream of events from the present state or from a version on. */
export async function watchObjects(request: ResourceRequest, requestId: string): Promise<StreamAnswer | Failure> {
  const { kind, query, view, negotiated } = request;
  const options = readWatchOptions(kind, query);
  if (isFailure(options)) return options;
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  if (isFailure(includeObject)) return includeObject;
  if (negotiated.as === 'PartialObjectMetadataList' || negotiated.format === 'yaml') return notAcceptableRepresentation(readableTypes);
  const { initial, after } = options.start;
  const format = negotiated.format === 'protobuf' && hasMessages(kind) ? 'protobuf' : 'json';
  if (initial && after !== undefined && after > view.position)
    return refusedStream(resourceVersionTooLarge(String(after), String(view.position)), format);
  const frames = new FrameWriter(kind, { negotiated, includeObject }, () => view.time);
  const begin = initial ? await fromState(request, options) : await fromVersion(request, options).catch(forgotten);
  if (isFailure(begin)) return refusedStream(begin, format);
  const timeoutMs = timeoutOf(options, requestId);
  const scope = { ...options, namespace: request.namespace, name: request.name };
  return stream(format, (sink) => {
    const session = sessionOf(request, sink, {
      scope,
      frames,
      bookmarks: options.bookmarks,
      timeoutMs,
      after: after ?? 0,
      position: () => {
        view.feed(kind.storage)?.handOver();
        return view.position;
      },
    });
    begin(session, sink);
    if (kind.form) sink.onClosed(view.whenKindEnds?.(kind.groupResource, () => sink.end()) ?? (() => undefined));
    if (kind.storage === leaseResource && (request.namespace ?? leaseNamespace) === leaseNamespace) view.leasesWatched?.(sink);
  });
}

function sessionOf({ kind, view }: ResourceRequest, sink: StreamSink, options: SessionOptions): WatchSession {
  if (!kind.form?.webhook) return new WatchSession(sink, options);
  return new ConvertingSession(sink, options, {
    ready: (objects) => converted(view, kind, objects),
    show: (object) => viewOf(kind, object),
  });
}

type Format = 'json' | 'protobuf';

/** Fills a session with what the watch begins with, and sees to it that it hears of all that comes. */
type Begin = (session: WatchSession, sink: StreamSink) => void;

function stream(format: Format, open: (sink: StreamSink) => void): StreamAnswer {
  const contentType = format === 'protobuf' ? `${protobufType};stream=watch` : jsonType;
  return { status: 200, contentType, overWebSocket: 'frames', open };
}

/** A watch that cannot begin: a 200 with the refusal as its only frame. */
function refusedStream(failure: Failure, format: Format): StreamAnswer {
  return stream(format, (sink) => {
    sink.write(errorFrame(failure, format));
    sink.end();
  });
}

/** The log no longer reaches back to the version that was asked for. */
function forgotten(error: unknown): Failure {
  if (error instanceof HistoryForgottenError) return watchVersionExpired(String(error.asked), String(error.forgotten));
  throw error;
}

/** Everything there is, as ADDED. */
async function fromState({ kind, view, namespace, name }: ResourceRequest, options: WatchOptions): Promise<Begin | Failure> {
  const look = await view.look(kind.storage);
  const hasWebhook = kind.form?.webhook !== undefined;
  const unconverted = await converted(view, kind, hasWebhook ? [...look().list(namespace)] : []);
  if (unconverted) return unconverted;
  return (session, sink) => {
    // What a webhook shows is selected when it is known.
    const objects = hasWebhook ? [...look().list(namespace)] : pageOf(look(), { ...options, namespace, limit: 0, start: '' }).objects;
    const named = name === undefined ? objects : objects.filter((object) => object.metadata.name === name);
    session.begin(named, options.start.marksInitial);
    listen(view, kind.storage)(session, sink);
  };
}

/** What has changed since the version; nothing without one, or with one of the future. */
async function fromVersion({ kind, view }: ResourceRequest, options: WatchOptions): Promise<Begin> {
  await view.look(kind.storage);
  const { after } = options.start;
  if (after === undefined) return listen(view, kind.storage);
  await view.keeps(after);
  // Also for the present version: by the time that the connection is ready it may be one of the past.
  const catchUp = new CatchUp(view, kind.storage, after);
  await catchUp.prepare();
  return (session, sink) => catchUp.begin(session, sink);
}

/** Spread over half an hour, by request, so that watches opened together do not end together. */
function timeoutOf({ timeoutSeconds }: WatchOptions, requestId: string): number {
  const seconds = timeoutSeconds && timeoutSeconds > 0 ? timeoutSeconds : undefined;
  const ms = seconds === undefined ? lastsMinMs + derivedIndex(requestId, lastsMinMs) : seconds * 1000;
  return Math.min(ms, timeoutMaxMs);
}
