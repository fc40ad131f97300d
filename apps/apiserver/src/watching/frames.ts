import type { KubeObject } from '#libs/kernel';
import { watchFrame, zeroStruct, type ResourceKind, type Status } from '#libs/kube-api';
import type { Negotiated } from '../negotiation/accept';
import { objectJson, partialJson } from '../wire/object-json';
import type { Presentation } from '../wire/presentation';
import { hasMessages, objectProtobuf, textProtobuf } from '../wire/protobuf';
import { joined } from '../wire/list-text';
import { tableText } from '../wire/table';
import type { WatchEvent } from './translation';

/** Marks the end of the state that a watch begins with. */
const initialEventsEnd = 'k8s.io/initial-events-end';

function frame(type: string, json: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${json}}\n`, 'utf8');
}

/** @param format that of the watch */
export function errorFrame(status: Status, format: Negotiated['format']): Buffer {
  const json = JSON.stringify(status);
  const message = format === 'protobuf' ? textProtobuf(json) : undefined;
  return message ? watchFrame('ERROR', message) : frame('ERROR', json);
}

/** An empty object of the kind, with a version: bookmarks have the shape of what they are among. */
function bookmarkObject({ schema }: ResourceKind, position: number, endsInitial: boolean): KubeObject {
  const { metadata: _, ...zero } = schema ? zeroStruct(schema) : {};
  const metadata = { resourceVersion: String(position), ...(endsInitial ? { annotations: { [initialEventsEnd]: 'true' } } : {}) };
  return { metadata, ...zero } as unknown as KubeObject;
}

/** Writes the frames of one watch in the form that was negotiated. */
export class FrameWriter {
  private columnsSent = false;
  /** Watchers of one form are sent equal frames. */
  readonly form: string;
  private readonly isMessages: boolean;

  constructor(
    private readonly kind: ResourceKind,
    private readonly presentation: Pick<Presentation, 'negotiated' | 'includeObject'>,
    private readonly now: () => number,
  ) {
    const { as = '', asVersion = '', format } = presentation.negotiated;
    this.isMessages = format === 'protobuf' && hasMessages(kind);
    this.form = `${kind.apiVersion} ${kind.resource} ${as} ${asVersion} ${this.isMessages ? 'protobuf' : ''}`;
  }

  /** Frames do not depend on what was sent before, nor on the moment. */
  get isShared(): boolean {
    return this.presentation.negotiated.as !== 'Table';
  }

  /** `memo` is shared by all watchers of the same changes: equal frames are written out once. */
  event({ type, object }: WatchEvent, memo?: FrameMemo): Buffer {
    if (this.presentation.negotiated.as === 'Table') return frame(type, this.table(object));
    const made = (): Buffer => this.frame(type, object);
    return memo ? memo.frame(object, `${type} ${this.form}`, made) : made();
  }

  bookmark(position: number, endsInitial: boolean): Buffer {
    const object = bookmarkObject(this.kind, position, endsInitial);
    return this.presentation.negotiated.as === 'Table' ? frame('BOOKMARK', this.table(object)) : this.frame('BOOKMARK', object);
  }

  /** What tells that the watch cannot go on. */
  error(status: Status): Buffer {
    return errorFrame(status, this.isMessages ? 'protobuf' : 'json');
  }

  private frame(type: string, object: KubeObject): Buffer {
    if (!this.isMessages) return frame(type, this.body(object));
    const isWhole = this.presentation.negotiated.as === undefined;
    return watchFrame(type, isWhole ? objectProtobuf(this.kind, object) : (textProtobuf(this.body(object)) as Buffer));
  }

  private body(object: KubeObject): string {
    const { as, asVersion = 'v1' } = this.presentation.negotiated;
    return as === 'PartialObjectMetadata' ? partialJson(this.kind, object, asVersion) : objectJson(this.kind, object);
  }

  /** Only the first frame names the columns. */
  private table(object: KubeObject): string {
    const { negotiated, includeObject } = this.presentation;
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' };
    const text = tableText(
      this.kind,
      [object],
      metadata,
      { includeObject, now: this.now() },
      negotiated.asVersion ?? 'v1',
      !this.columnsSent,
    );
    this.columnsSent = true;
    return joined(text);
  }
}

/** Frames already written out, by object and form, and what was made of all changes together; lives as long as one batch of changes. */
export class FrameMemo {
  private readonly frames = new Map<KubeObject, Map<string, Buffer>>();
  private readonly batches = new Map<string, readonly Buffer[]>();

  frame(object: KubeObject, form: string, make: () => Buffer): Buffer {
    let known = this.frames.get(object);
    if (!known) this.frames.set(object, (known = new Map()));
    return remembered(known, form, make);
  }

  batch(form: string, make: () => readonly Buffer[]): readonly Buffer[] {
    return remembered(this.batches, form, make);
  }
}

const memos = new WeakMap<readonly unknown[], FrameMemo>();

export function memoOf(changes: readonly unknown[]): FrameMemo {
  let memo = memos.get(changes);
  if (!memo) memos.set(changes, (memo = new FrameMemo()));
  return memo;
}

function remembered<V>(known: Map<string, V>, key: string, make: () => V): V {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make()));
  return value;
}
