// Objects without what no two runs have in common: names for uids, addresses and hashes, and times apart.
import { parseTime } from '#libs/kernel';
import type { Fields } from './recording';

/** A value in the recordings' form, and the moments in it, by path, in seconds. */
export interface NormalForm {
  value: unknown;
  times: ReadonlyMap<string, number>;
}

const moments: ReadonlySet<string> = new Set([
  'lastTransitionTime',
  'startedAt',
  'finishedAt',
  'startTime',
  'deletionTimestamp',
  'timeAdded',
  'renewTime',
]);
/** Written anew each time, or never written by a kubelet. */
const untold: ReadonlySet<string> = new Set(['lastHeartbeatTime', 'lastProbeTime']);
const addresses: Readonly<Record<string, string>> = { hostIP: '<hostIP>', podIP: '<podIP>' };

/** @param began our first pod's creation, ms; undefined for what was recorded: its times are seconds already */
export function normalForm(value: unknown, began: number | undefined): NormalForm {
  const times = new Map<string, number>();
  const secondOf = (time: unknown): number | undefined => {
    if (began === undefined) return typeof time === 'number' ? time : undefined;
    const ms = typeof time === 'string' ? parseTime(time) : undefined;
    // The beginning of time stands for never.
    return ms === undefined || ms === 0 ? undefined : (ms - Math.floor(began / 1_000) * 1_000) / 1_000;
  };
  const walk = (part: unknown, path: string, own: string | undefined): unknown => {
    if (Array.isArray(part)) return part.map((each, index) => walk(each, `${path}[${index}]`, own));
    if (typeof part !== 'object' || part === null) return typeof part === 'string' ? named(part) : part;
    const container = typeof (part as Fields).containerID === 'string' && 'state' in part ? (part as Fields).containerID : own;
    const result: Fields = {};
    for (const key of Object.keys(part).toSorted()) {
      const inner = (part as Fields)[key];
      const at = path === '' ? key : `${path}.${key}`;
      if (untold.has(key) || inner === undefined) continue;
      const second = moments.has(key) ? secondOf(inner) : undefined;
      if (second !== undefined) {
        times.set(at, second);
        result[key] = '<time>';
      } else if (key === 'containerID') result[key] = inner === container ? 'containerd://<own>' : 'containerd://<other>';
      else if (typeof inner === 'string' && Object.hasOwn(addresses, key)) result[key] = addresses[key];
      else if (key === 'hostIPs' || key === 'podIPs') result[key] = [{ ip: addresses[key.slice(0, -1)] }];
      else result[key] = walk(inner, at, container as string | undefined);
    }
    return result;
  };
  return { value: walk(value, '', undefined), times };
}

/** Texts with names for what differs from run to run. */
export function named(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replace(/(?<=boot id: ).*$/, '<boot id>')
    .replace(/\([0-9a-f]{32}\)/g, '(<hash>)')
    .replace(/sha256:[0-9a-f]{64}/g, 'sha256:<hash>')
    .replace(/containerd:\/\/\w+/g, 'containerd://<id>')
    .replace(/(?<=http:\/\/|https:\/\/|tcp |service ")(?:\d{1,3}\.){3}\d{1,3}(?=:)/g, '<podIP>')
    .replace(/\bfor \S+ and \d+ ?\S* grace/g, (all) => all)
    .replace(/^(Successfully pulled image .* in ).*\((.*) including waiting\)(.*)$/, '$1<time> (<time> including waiting)$3');
}
