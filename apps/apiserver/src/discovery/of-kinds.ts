import type { KindCatalogue } from '#libs/kube-api';

/** What is made of the kinds of a cluster, made at its first use and kept until its kinds change. */
export function madeOfKinds<T>(make: (kinds: KindCatalogue) => T): (kinds: KindCatalogue) => T {
  const kept = new WeakMap<KindCatalogue, { version: number; made: T }>();
  return (kinds) => {
    const known = kept.get(kinds);
    if (known?.version === kinds.version) return known.made;
    const made = make(kinds);
    kept.set(kinds, { version: kinds.version, made });
    return made;
  };
}
