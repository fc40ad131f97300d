import { findingText, verify, type CheckLetter, type KeptSeal, type VerifyReport } from '#libs/audit';
import type { RecordedEvent } from '#libs/event-log';
import { leafOf, MerkleRange } from '#libs/events';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { exercisingLog } from './exercising-logs';
import type { Mutant, Verdict } from './mutant';
import { rechained } from './rechain';
import { logOf } from './stored-log';

/** Verifies a log of these events, with the controllers of this version. */
export async function verified(events: readonly RecordedEvent[], seals?: readonly KeptSeal[]): Promise<VerifyReport> {
  return verify({ log: logOf(events), cluster: 'local', controllers: await controllerFactory(), seals });
}

/** Makes the mutant, and asks verify. */
export async function survey(mutant: Mutant): Promise<Verdict> {
  const original = await exercisingLog(mutant.log);
  const edited = mutant.edit ? mutant.edit(original) : original;
  const events = mutant.rechain ? rechained(edited, mutant.rechain === true) : edited;
  const { keptSeal } = mutant;
  const sealed = keptSeal && (keptSeal.of ? await exercisingLog(keptSeal.of) : original);
  const report = await verified(events, sealed && [sealOf(sealed)]);
  const found = [...new Set(report.findings.map(({ check }) => check))].sort() as CheckLetter[];
  const finding = report.findings.find(({ check }) => mutant.expected.includes(check)) ?? report.findings[0];
  const isFound = found.some((check) => mutant.expected.includes(check));
  return { mutant, found, isFound, text: finding ? findingText(finding) : '' };
}

/** What somebody kept of a log. */
export function sealOf(events: readonly RecordedEvent[]): KeptSeal {
  const range = MerkleRange.empty();
  for (const event of events) range.add(leafOf(event));
  return { position: (events[events.length - 1] as RecordedEvent).position, events: events.length, root: range.root(), from: 'kept' };
}
