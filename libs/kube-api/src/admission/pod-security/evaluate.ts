import { baselineChecks } from './checks/baseline';
import type { Check, CheckPod, PodLike, Violation } from './checks/check';
import { restrictedChecks } from './checks/restricted';
import type { LevelVersion } from './policy';

/** What a pod breaks of a level, in upstream's order: the rules of the baseline, then those of the restricted level. */
export function violationsOf(pod: PodLike, wanted: LevelVersion): Violation[] {
  return checksOf(wanted).flatMap((check) => check(pod) ?? []);
}

/** `reason (detail), reason (detail)`. */
export function detailsText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}

export function reasonsText(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}

const known = new Map<string, readonly CheckPod[]>();

function checksOf({ level, version }: LevelVersion): readonly CheckPod[] {
  if (level === 'privileged') return [];
  const key = `${level}:${version}`;
  let checks = known.get(key);
  if (!checks) known.set(key, (checks = chosen(level, version)));
  return checks;
}

/** A later version than the last in which anything changed has what that one has. */
function chosen(level: 'baseline' | 'restricted', version: LevelVersion['version']): CheckPod[] {
  const inForce = (check: Check): CheckPod | undefined =>
    check.versions.findLast(({ since }) => version === 'latest' || since <= version)?.check;
  const restricted = level === 'restricted' ? restrictedChecks.filter((check) => inForce(check)) : [];
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  const baseline = baselineChecks.filter(({ id }) => !overridden.has(id));
  return [...baseline, ...restricted].flatMap((check) => inForce(check) ?? []);
}
