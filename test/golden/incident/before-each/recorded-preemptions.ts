// Which preemption was written when: each row of expect.json, with the revision and the time of the first write that came of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '#libs/kernel';
import { timeIn, type ObjectVersion, type RecordedVersions } from './recorded-versions';

export interface RecordedPreemption {
  preemptor: string;
  node: string;
  victims: string[];
  /** The first revision that the preemption wrote: what was before it, the scheduler could know. */
  revision: number;
  /** When the nomination reached the API, ms since the epoch; absent where the audit log has no bodies. */
  decidedAt?: number;
  /** When the victims' events say it happened, ms since the epoch. */
  reportedAt: number;
}

interface Row {
  preemptor: string;
  preemptorUid: string;
  node: string;
  at: string;
  victims: { pod: string; uid: string; alreadyTerminating?: boolean }[];
}

/** @throws when the record shows no write that came of a preemption. */
export function readPreemptions(folder: string, recorded: RecordedVersions): RecordedPreemption[] {
  const { preemptions } = JSON.parse(readFileSync(join(folder, 'expect.json'), 'utf8')) as { preemptions: Row[] };
  const used = new Set<number>();
  return preemptions.map((row) => locate(row, recorded, used));
}

function locate(row: Row, { versions, writes, timeOf }: RecordedVersions, used: Set<number>): RecordedPreemption {
  const own = versions.get(`pods ${row.preemptor}`) ?? [];
  const until = timeIn(row.at);
  const nominations = own.filter((version, index) => nominates(version, own[index - 1], row) && !used.has(version.revision));
  const inTime = nominations.filter(({ revision }) => (timeOf.get(revision) ?? until) <= until + slackMs);
  const nomination = timeOf.size > 0 ? inTime.at(-1) : nominations[0];
  const marks = row.victims
    .filter(({ alreadyTerminating }) => !alreadyTerminating)
    .map(({ pod, uid }) => firstMark(versions.get(`pods ${pod}`) ?? [], uid));
  // A nomination that stood already is not written again: then the victims tell.
  const revisions = [nomination && isNear(nomination.revision, marks, timeOf) ? nomination.revision : undefined, ...marks].filter(
    (revision) => revision !== undefined,
  );
  if (revisions.length === 0) throw new Error(`${row.preemptor} on ${row.node} at ${row.at}: no write of it is recorded`);
  if (nomination) used.add(nomination.revision);
  const revision = Math.min(...revisions);
  const written = writes.find((write) => write.revision !== undefined && write.revision === (nomination?.revision ?? revision));
  return {
    preemptor: row.preemptor,
    node: row.node,
    victims: row.victims.map(({ pod }) => pod),
    revision,
    decidedAt: written?.received,
    reportedAt: until,
  };
}

const slackMs = 50;
/** Nomination and marks of one act are written within this time. */
const actMs = 3_000;

function isNear(revision: number, marks: readonly (number | undefined)[], timeOf: ReadonlyMap<number, number>): boolean {
  const at = timeOf.get(revision);
  return marks.every((mark) => {
    const marked = mark === undefined ? undefined : timeOf.get(mark);
    return at === undefined || marked === undefined || Math.abs(at - marked) < actMs;
  });
}

function nominates({ object }: ObjectVersion, before: ObjectVersion | undefined, { node, preemptorUid }: Row): boolean {
  return (
    object?.metadata.uid === preemptorUid && object.status?.nominatedNodeName === node && before?.object?.status?.nominatedNodeName !== node
  );
}

function firstMark(own: readonly ObjectVersion[], uid: string): number | undefined {
  return own.find(({ object }) => object?.metadata.uid === uid && isMarked(object))?.revision;
}

function isMarked({ status }: KubeObject): boolean {
  return Boolean(
    (status?.conditions as { type: string; reason?: string }[] | undefined)?.some(
      ({ type, reason }) => type === 'DisruptionTarget' && reason === 'PreemptionByScheduler',
    ),
  );
}
