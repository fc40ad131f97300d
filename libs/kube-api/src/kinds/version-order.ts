const aware = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

interface Parts {
  stability: number;
  major: number;
  minor: number;
}

function partsOf(version: string): Parts | undefined {
  const [, major, kind, minor = '0'] = aware.exec(version) ?? [];
  if (major === undefined) return undefined;
  return { stability: kind === 'alpha' ? 0 : kind === 'beta' ? 1 : 2, major: Number(major), minor: Number(minor) };
}

/** Order of versions by preference: `v2`, `v1`, `v2beta1`, `v1alpha1`, and then whatever else there is by name. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  if (!one && !other) return a < b ? -1 : a > b ? 1 : 0;
  if (!one || !other) return one ? -1 : 1;
  return other.stability - one.stability || other.major - one.major || other.minor - one.minor;
}
