import { parseStream } from '#libs/events';
import { releaseKinds } from '#libs/kube-api';
import type { GroupResource } from '#libs/kernel';

/** Kinds that are said in small letters, as kubectl's users do. */
const everydayKinds = new Set(['Pod', 'Node', 'Namespace', 'Secret']);

/** `pod default/web-0`, `Deployment default/pay`, `node node-1`. */
export function objectWords(resource: string, namespace: string | undefined, name: string): string {
  return `${kindWord(resource)} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** The object that a stream is about; '' for a stream of decisions. */
export function streamWords(cluster: string, stream: string): string {
  const subject = parseStream(cluster, stream);
  return subject?.kind === 'object' ? objectWords(subject.resource, subject.namespace, subject.name) : '';
}

export function kindWord(resource: string): string {
  const kind = releaseKinds.findGroupResource(resource as GroupResource)?.kind ?? resource;
  return everydayKinds.has(kind) ? kind.toLowerCase() : kind;
}

/** `1 pod`, `3 pods`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** An amount of a resource as people write it, from the unit that scheduling counts it in: `0.5`, `1.5Gi`, `3`. */
export function amountWords(resource: string, amount: number): string {
  if (resource === 'cpu') return String(Math.round(amount) / 1000);
  if (resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')) return bytesWords(amount);
  return String(amount);
}

function bytesWords(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Math.round(value * 100) / 100}${units[unit]}`;
}

/** As kubectl writes it: `key=value:effect`, or `key:effect`. */
export function taintWords({ key, value, effect }: { key: string; value?: string; effect: string }): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`;
}

/** Time of day, UTC, as the log prints it. @param time ms since the epoch */
export function clockWords(time: number): string {
  return new Date(time).toISOString().slice(11, 23);
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function listWords(names: readonly string[], shownMax: number): string {
  const shown = names.slice(0, shownMax);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown[shown.length - 1]}`;
}

/**
 * What a client called itself, short: the command of kubectl where it says so, else its first product. Undefined where it said nothing.
 * @param agent `USER-AGENT` or `USER-AGENT; KUBECTL-COMMAND`, as the log has it
 */
export function agentWords(agent: unknown): string | undefined {
  if (typeof agent !== 'string' || agent === '') return undefined;
  const at = agent.lastIndexOf('; kubectl ');
  return at >= 0 ? agent.slice(at + 2) : agent.split(/[/ ;]/)[0] || undefined;
}

/** Who acted for a user, and through what: `by admin, kubectl drain`. Undefined: nothing is known of either. */
export function throughWords(impersonator: unknown, agent: string | undefined): string | undefined {
  const by = typeof impersonator === 'string' ? [`by ${impersonator}`] : [];
  const words = agent === undefined ? by : [...by, agent];
  return words.length === 0 ? undefined : words.join(', ');
}
