// Recorded objects as their frames make them, one step after the other.
import { isObject, type JsonObject } from '#libs/kernel';
import { merged } from './recorded-form';
import type { Frame } from './recording';

export class RecordedObjects {
  private readonly objects = new Map<string, JsonObject | null>();

  /** @param session its name, which is its namespace too */
  constructor(readonly session: string) {}

  /** Null: gone. */
  get(object: string): JsonObject | null | undefined {
    return this.objects.get(object);
  }

  set(object: string, form: JsonObject): void {
    this.objects.set(object, form);
  }

  /** Those that are there, of a kind. @param prefix `Kind/` */
  *names(prefix: string): Iterable<string> {
    for (const [object, form] of this.objects) if (form && object.startsWith(prefix)) yield object;
  }

  /** Takes the frames of a step; gives the objects that changed in it. */
  follow(frames: readonly Frame[]): Set<string> {
    const touched = new Set<string>();
    for (const { type, object, set, change, event } of frames) {
      if (event) continue;
      const before = this.objects.get(object);
      const after = type === 'DELETED' ? null : (set ?? merged(before ?? {}, change ?? {}));
      this.objects.set(object, isObject(after) ? (after as JsonObject) : null);
      touched.add(object);
    }
    return touched;
  }
}
