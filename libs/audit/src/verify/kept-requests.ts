import type { RecordedEvent } from '#libs/event-log';
import { jsonDigest } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import type { Append } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';

/** Requests kept in mind: one comes just before its write, and some come to no write. */
const requestsMax = 10_000;

/** Where a cluster keeps the requests of clients, each write is compared with its own request. */
export class KeptRequests implements AppendCheck {
  readonly letter = 'W';
  private readonly byOperation = new Map<string, JsonObject>();

  constructor(private readonly findings: Findings) {}

  append([first]: readonly RecordedEvent[]): void {
    if (first?.type !== 'RequestKept') return;
    this.byOperation.set(first.data.op as string, first.data.request as JsonObject);
    if (this.byOperation.size > requestsMax) this.byOperation.delete(this.byOperation.keys().next().value as string);
  }

  /** What was asked for with this write; undefined where it is not kept, or is not what the write says was asked. */
  of({ first, notes }: Append): WriteRequest | undefined {
    const request = notes.op === undefined ? undefined : this.byOperation.get(notes.op);
    if (!request) return undefined;
    const { verb: _, ...body } = request;
    if (jsonDigest(body) === notes.body) return request as unknown as WriteRequest;
    this.findings.foundAt('W', first, 'the request that is kept is not the one that it says it was asked by');
    return undefined;
  }
}
