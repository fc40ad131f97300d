// What was asked of an object lately, for whoever looks into a difference: one occurrence has to tell enough.
import { keyOf, type Metadata, type Stored } from './history';

/** A request and its answer. */
export interface Asked {
  /** The request. */
  what: string;
  status: number;
  text: string;
  /** When it was sent and when its answer was there, ms of one clock. */
  sentAt: number;
  answeredAt: number;
}

/** Requests about an object, and about its whole collection, that are kept. */
const askedMax = 12;
/** Of an answer that says nothing of an object, characters. */
const textMax = 600;

export class AskedLately {
  private readonly byObject = new Map<string, Asked[]>();

  /** @param key of the object; `*` where the request was about a collection */
  note(resource: string, key: string, asked: Asked): void {
    const place = `${resource} ${key}`;
    this.byObject.set(place, [...(this.byObject.get(place) ?? []), asked].slice(-askedMax));
  }

  /** Lines about an object and its collection, in the order of sending. */
  lines(resource: string, key: string): string[] {
    const all = [key, '*'].flatMap((of) => this.byObject.get(`${resource} ${of}`) ?? []);
    return all.sort((a, b) => a.sentAt - b.sentAt).map(line);
  }
}

function line({ what, status, text, sentAt, answeredAt }: Asked): string {
  return `${sentAt.toFixed(1)}–${answeredAt.toFixed(1)} ms: ${what} was answered ${status}: ${brief(text)}`;
}

/** Who is meant and which version of them: what a difference is found by. */
export function brief(text: string): string {
  let answer: Partial<Stored> & { items?: Stored[]; message?: string; details?: { uid?: string } };
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return text.slice(0, textMax);
  }
  const { kind, metadata, items, message, details } = answer;
  if (items) return `${kind} at ${metadata?.resourceVersion}: ${items.map(({ metadata: of }) => named(of)).join(', ') || 'nothing'}`;
  if (kind === 'Status') return [kind, message, details?.uid].filter(Boolean).join(' ');
  return metadata ? `${kind} ${named(metadata)}` : text.slice(0, textMax);
}

function named(metadata: Metadata): string {
  const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = metadata;
  const marks = [deletionTimestamp && 'being deleted', finalizers.length > 0 && `held by ${finalizers.join(' and ')}`];
  return [`${keyOf({ metadata })} (${uid}) at ${resourceVersion}`, ...marks.filter(Boolean)].join(', ');
}
