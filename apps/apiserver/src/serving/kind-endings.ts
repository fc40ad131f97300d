import type { ObjectChange } from '#libs/cluster-state';
import { definitionResource, isSameService } from '#libs/kube-api';
import type { GroupResource } from '#libs/kernel';

/** What is under way when a kind goes is given so long, ms. */
const drainedMs = 1_000;

/**
 * Ends what goes on about the objects of a custom kind when its definition changes or goes: what watches have said so far they have said of
 * another kind. A client comes again, and finds the kind as it is then, or none.
 */
export class KindEndings {
  private readonly waiting = new Map<GroupResource, Set<() => void>>();

  /** @returns for whoever has ended by himself */
  add(resource: GroupResource, end: () => void): () => void {
    let ends = this.waiting.get(resource);
    if (!ends) this.waiting.set(resource, (ends = new Set()));
    ends.add(end);
    return () => ends.delete(end);
  }

  changed({ resource, type, before, object }: ObjectChange): void {
    if (resource !== definitionResource || !before || (type !== 'DELETED' && isSameService(before, object))) return;
    const ends = this.waiting.get(before.metadata.name);
    if (!ends || ends.size === 0) return;
    // Whoever comes from now on comes to the kind as it is now.
    this.waiting.delete(before.metadata.name);
    setTimeout(() => {
      for (const end of ends) end();
    }, drainedMs).unref();
  }
}
