import type { ResourceTable } from '#libs/cluster-state';
import { kindsByDefinitions, releaseKinds, type KindCatalogue } from '#libs/kube-api';

const keptMax = 16;

/** The kinds of moments of the past. Moments with the same definitions have the same ones. */
export class KindsOfThen {
  private readonly kept = new Map<string, KindCatalogue>();

  by(definitions: ResourceTable): KindCatalogue {
    if (definitions.objects.size === 0) return releaseKinds;
    const objects = [...definitions.objects.values()];
    const key = objects.map(({ metadata: { uid, resourceVersion } }) => `${uid}@${resourceVersion}`).join();
    let kinds = this.kept.get(key);
    if (!kinds) {
      if (this.kept.size >= keptMax) this.kept.clear();
      this.kept.set(key, (kinds = kindsByDefinitions(objects) ?? releaseKinds));
    }
    return kinds;
  }
}
