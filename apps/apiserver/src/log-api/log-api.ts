import type { ClusterRuntime } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { clusterPrefix, withHiddenSecrets } from '#libs/events';
import { jsonAnswer, type Answer } from '../http/answer';
import type { Query } from '../request-info/query';
import type { RequestInfo } from '../request-info/request-info';

/** Outside the Kubernetes API: the event stream itself, for `kubereel log`, `why` and `verify`. */
const logPath = '/kubereel/log';

/** Events a page at most; a page may end earlier, never in the middle of an append's bytes limit. */
const eventsPerPage = 500;

/** A page of the cluster's events. `next`: where the following page begins; absent at the end of the log. */
export interface LogPage {
  cluster: string;
  seed: string;
  events: RecordedEvent[];
  next?: number;
  /** Of a log that keeps a bounded history: everything up to this position has been let go. */
  forgotten?: number;
}

/**
 * `GET /kubereel/log?from=POSITION[&limit=N]`: events from there on, oldest first; `before=POSITION`: those before it, newest first. What Secrets hold comes as marks unless `secrets=shown` asks for it: checking digests and deciding again
 * take the events as they are. Undefined: another path.
 */
export async function logAnswer({ path, method, query }: RequestInfo, runtime: ClusterRuntime): Promise<Answer | undefined> {
  if (path !== logPath || method !== 'GET') return undefined;
  const from = wholeNumber(query, 'from');
  const before = wholeNumber(query, 'before');
  const limit = wholeNumber(query, 'limit') ?? eventsPerPage;
  for (const [name, value] of Object.entries({ from, before, limit }))
    if (value !== undefined && !(value >= 0)) return jsonAnswer(400, { message: `${name} has to be a whole number` });
  if (from !== undefined && before !== undefined) return jsonAnswer(400, { message: 'either from or before, not both' });
  const { log, cluster } = runtime.options;
  const shown = query.text('secrets');
  if (shown !== '' && shown !== 'shown') return jsonAnswer(400, { message: 'secrets has to be "shown", or absent' });
  const events: RecordedEvent[] = [];
  const filter = { streamPrefixes: [clusterPrefix(cluster)] };
  const eventsMax = Math.min(limit, eventsPerPage);
  const stretch = before === undefined ? ({ from: from ?? 'start' } as const) : ({ direction: 'backwards', from: before } as const);
  for await (const page of log.readAll({ ...stretch, limit: eventsMax, filter })) events.push(...page);
  const last = events[events.length - 1];
  const forgotten = log.history?.forgotten;
  const answer: LogPage = {
    cluster,
    seed: runtime.seed,
    events: shown === '' ? events.map(withHiddenSecrets) : events,
    ...(last && events.length >= eventsMax ? { next: before === undefined ? last.position + 1 : last.position } : {}),
    ...(forgotten ? { forgotten } : {}),
  };
  return { ...jsonAnswer(200, answer), compressible: true };
}

/** NaN where it is something else. */
function wholeNumber(query: Query, name: string): number | undefined {
  const asked = query.integer(name);
  return 'value' in asked ? asked.value : Number.NaN;
}
