// Requests carry values of earlier answers that the recording gives no number: the creationTimestamp and volume names of an
// object that is put back, the hash of an OpenAPI document, an ETag. This remembers what our server said in their place.
import { placeholdersIn } from '../compare/placeholders';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export function uidOf(value: unknown): string | undefined {
  if (!isObject(value) || !isObject(value['metadata'])) return undefined;
  const uid = value['metadata']['uid'];
  return typeof uid === 'string' ? uid : undefined;
}

export class Recall {
  /** By uid, then by path within the object. */
  private readonly byObject = new Map<string, Map<string, string>>();
  private readonly documentHashes = new Map<string, string>();
  private readonly etags = new Map<string, string>();
  private lastEtag: string | undefined;

  /** Walks an answer beside its recording and keeps every string that stands where the recording has unnumbered placeholders. */
  learn(expected: unknown, actual: unknown): void {
    this.walk(expected, actual, undefined, '');
  }

  /** `"/openapi/v3/apis/apps/v1?hash=ABC"` in an index of documents. */
  learnDocuments(body: unknown): void {
    if (!isObject(body) || !isObject(body['paths'])) return;
    for (const entry of Object.values(body['paths'])) {
      const url = isObject(entry) ? entry['serverRelativeURL'] : undefined;
      const [path, hash] = typeof url === 'string' ? url.split('?hash=') : [];
      if (path !== undefined && hash !== undefined) this.documentHashes.set(path, hash);
    }
  }

  learnEtag(path: string, etag: string): void {
    const bare = etag.replace(/^"|"$/g, '');
    this.etags.set(path, bare);
    this.lastEtag = bare;
  }

  textOf(uid: string, path: string): string | undefined {
    return this.byObject.get(uid)?.get(path);
  }

  hashOf(path: string): string | undefined {
    return this.documentHashes.get(path);
  }

  etagOf(path: string): string | undefined {
    return this.etags.get(path) ?? this.lastEtag;
  }

  private walk(expected: unknown, actual: unknown, kept: Map<string, string> | undefined, path: string): void {
    if (typeof expected === 'string') {
      if (typeof actual !== 'string' || kept === undefined || !expected.includes('<')) return;
      if (placeholdersIn(expected).some(({ number }) => number === undefined)) kept.set(path, actual);
      return;
    }
    if (Array.isArray(expected)) {
      if (!Array.isArray(actual)) return;
      for (const [index, value] of expected.entries()) this.walk(value, actual[index], kept, `${path}[${index}]`);
      return;
    }
    if (!isObject(expected) || !isObject(actual)) return;
    const uid = uidOf(actual);
    const inner = uid === undefined ? kept : this.objectOf(uid);
    const below = uid === undefined ? `${path}.` : '.';
    for (const [key, value] of Object.entries(expected)) {
      if (Object.hasOwn(actual, key)) this.walk(value, actual[key], inner, `${below}${key}`);
    }
  }

  private objectOf(uid: string): Map<string, string> {
    const known = this.byObject.get(uid);
    if (known !== undefined) return known;
    const fresh = new Map<string, string>();
    this.byObject.set(uid, fresh);
    return fresh;
  }
}
