import { parseTime } from '#libs/kernel';

const minute = 60;
const hour = 60 * minute;
const day = 24;
const year = 365 * day;

/** A span in milliseconds as columns show it: two units at most, coarser the longer it is (upstream `HumanDuration`). */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * minute) return `${seconds}s`;
  const minutes = Math.trunc(seconds / minute);
  if (minutes < 10) return pair(minutes, 'm', seconds % minute, 's');
  if (minutes < 3 * 60) return `${minutes}m`;
  const hours = Math.trunc(seconds / hour);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 2 * day) return `${hours}h`;
  const days = Math.trunc(hours / day);
  if (hours < 8 * day) return pair(days, 'd', hours % day, 'h');
  if (hours < 2 * year) return `${days}d`;
  const years = Math.trunc(hours / year);
  return hours < 8 * year ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** Time passed since a moment in RFC 3339. */
export function ageOf(time: unknown, now: number): string {
  const at = typeof time === 'string' ? parseTime(time) : undefined;
  return at === undefined ? '<unknown>' : humanDuration(now - at);
}
