// Which nodes are not heard is told in words only: a step's note says so.
import type { Session } from './recording';

const zoneLabel = 'topology.kubernetes.io/zone';

/** Of a step behind which nodes fall silent or are heard again: all of them, those of a zone, or the first. */
export function silencedBy(note: string, session: Session, step: number): { nodes: string[]; isSilent: boolean } | undefined {
  if (session.controller !== 'nodelifecycle') return undefined;
  const isSilent = /\bstops?\b/.test(note);
  if (!isSilent && !/\bheartbeats again\b|\bback\b/.test(note)) return undefined;
  const created = [...session.setup, ...session.steps.filter((one) => one.step < step).flatMap(({ requests }) => requests)]
    .filter(({ method, path }) => method === 'POST' && path === '/api/v1/nodes')
    .map(({ body }) => (body as { metadata: { name: string; labels?: Record<string, string> } }).metadata);
  const [, zone] = /\bzone (\S+)/.exec(note) ?? [];
  if (zone) return { nodes: created.filter(({ labels }) => labels?.[zoneLabel] === zone).map(({ name }) => name), isSilent };
  const names = created.map(({ name }) => name);
  return { nodes: /\beverything\b/.test(note) ? names : names.slice(0, 1), isSilent };
}
