// Which request may have written, and what each line of requests knows of its objects.
import type { FuzzAnswer } from './answer';
import type { FuzzRequest } from './requests';

/** What is known of a request. */
export const Outcome = { nothing: 0, written: 1, unknown: 2, created: 3 } as const;

/** State of an object: its version, that it is gone, or that nobody can tell. */
type Known = number | 'gone' | 'unknown';

/** A read that does not fit what its line was told: somebody else, who wrote under its name by mistake, may explain it. */
export interface Suspicion {
  index: number;
  key: string;
  /** What the object is at; undefined: it is not there. */
  version: number | undefined;
  text: string;
}

const versionPattern = /"resourceVersion":"(\d+)"/;

export class Ledger {
  readonly outcomes: Uint8Array;
  /** Version that an answer gave, where it tells of a write. */
  readonly versions: Float64Array;
  readonly suspicions: Suspicion[] = [];
  private readonly objects = new Map<string, Known>();

  constructor(
    private readonly from: number,
    count: number,
  ) {
    this.outcomes = new Uint8Array(count);
    this.versions = new Float64Array(count);
  }

  /** Undefined for what is none of ours. */
  outcomeOf(index: number): number | undefined {
    return this.outcomes[index - this.from];
  }

  versionOf(index: number): number {
    return this.versions[index - this.from] ?? 0;
  }

  /** Keeps what an answer says of the object, and what contradicts earlier answers. */
  note(request: FuzzRequest, answer: FuzzAnswer | undefined): void {
    const { index, key, effect, method } = request;
    const at = index - this.from;
    const isWrite = effect !== 'read' && effect !== 'none' && method !== 'GET' && method !== 'HEAD';
    if (!answer) {
      if (isWrite || request.raw) this.outcomes[at] = Outcome.unknown;
      if (isWrite && key !== undefined) this.objects.set(key, 'unknown');
      return;
    }
    if (effect === 'read' && method === 'GET') this.read(request, answer);
    else if (isWrite) this.written(request, answer, at);
  }

  private written(request: FuzzRequest, { status, contentType, body }: FuzzAnswer, at: number): void {
    const { key, effect } = request;
    if (effect === 'many' || request.lane !== 'pipeline') {
      // Of several objects, or of one by another name: some of it may be done though the whole is refused.
      this.outcomes[at] = Outcome.unknown;
      if (key !== undefined) this.objects.set(key, 'unknown');
      return;
    }
    // The real server, too, first writes and then finds that it cannot show an object as a list.
    if (status === 406 && headerOf(request, 'accept').includes('PartialObjectMetadataList')) return this.doubt(request, at);
    if (status >= 300 || isDry(request)) {
      // The options of a deletion that has a body are those of the body.
      if (isDry(request) && (effect === 'delete' || !request.path.includes('dryRun=All'))) this.doubt(request, at);
      return;
    }
    this.outcomes[at] = status === 201 && request.creates ? Outcome.created : Outcome.written;
    if (key === undefined) return;
    const version = contentType === 'application/json' ? Number(versionPattern.exec(body.toString('latin1'))?.[1] ?? 0) : 0;
    // What was being deleted may be gone by an update.
    const isGoing = body.includes('"deletionTimestamp":"');
    if (effect === 'delete' || version === 0 || isGoing || isRenamed(request)) this.objects.set(key, 'unknown');
    else this.objects.set(key, version);
    if (effect === 'write' && version > 0 && !isGoing) this.versions[at] = version;
  }

  private doubt({ key }: FuzzRequest, at: number): void {
    this.outcomes[at] = Outcome.unknown;
    if (key !== undefined) this.objects.set(key, 'unknown');
  }

  /** An object that only this line writes is as the last answer said. */
  private read({ key, path, index }: FuzzRequest, { status, contentType, body }: FuzzAnswer): void {
    if (key === undefined || path.includes('?')) return;
    const known = this.objects.get(key) ?? 'gone';
    if (status === 404) {
      this.objects.set(key, 'gone');
      if (typeof known === 'number') this.suspect(index, key, undefined, `it was written at ${known}, and is not there`);
      return;
    }
    if (status !== 200 || contentType !== 'application/json') return;
    const version = Number(versionPattern.exec(body.toString('latin1'))?.[1] ?? 0);
    if (version === 0) return;
    this.objects.set(key, version);
    if (known !== 'unknown' && known !== version)
      this.suspect(index, key, version, `it is at ${version}, though the last answer was ${known}`);
  }

  private suspect(index: number, key: string, version: number | undefined, text: string): void {
    this.suspicions.push({ index, key, version, text });
  }
}

function headerOf({ headers }: FuzzRequest, wanted: string): string {
  return headers.find(([name]) => name === wanted)?.[1] ?? '';
}

/** In the query, or in the options of a deletion. */
function isDry({ path, body }: FuzzRequest): boolean {
  return path.includes('dryRun') || (body?.includes('dryRun') ?? false);
}

/** Its body may name another object than its path: a creation under an odd name. */
function isRenamed({ method }: FuzzRequest): boolean {
  return method === 'POST';
}
