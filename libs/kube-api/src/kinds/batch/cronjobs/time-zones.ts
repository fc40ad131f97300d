import data from './time-zones.json';

let known: Set<string> | undefined;

/** Whether a zone has exactly this name. */
export function isTimeZone(name: string): boolean {
  known ??= new Set(
    Object.entries(data.zones).flatMap(([region, names]) => names.split(' ').map((zone) => (region === '' ? zone : `${region}/${zone}`))),
  );
  return known.has(name);
}
