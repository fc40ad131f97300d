import { findingText, verify, type CheckLetter, type VerifyReport } from '#libs/audit';
import type { RecordedEvent } from '#libs/event-log';
import { leafOf, MerkleRange } from '#libs/events';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { exercisingLog } from './exercising-logs';
import type { Mutant, Verdict } from './mutant';
import { rechained } from './rechain';
import { logOf } from './stored-log';

/** Verifies a log of these events, with the controllers of this version. */
export async function verified(events: readonly RecordedEvent[], seals?: Parameters<typeof verify>[0]['seals']): Promise<VerifyReport> {
  return verify({ log: logOf(events), cluster: 'local', controllers: await controllerFactory(), seals });
}

/** Makes the mutant, and asks verify. */
export async function survey(mutant: Mutant): Promise<Verdict> {
  const original = await exercisingLog(mutant.log);
  const edited = mutant.edit ? mutant.edit(original) : original;
  const events = mutant.rechain ? rechained(edited) : edited;
  const report = await verified(events, mutant.keptSeal && [keptSeal(original, mutant.keptSeal.withoutLast)]);
  const found = [...new Set(report.findings.map(({ check }) => check))].sort() as CheckLetter[];
  const finding = report.findings.find(({ check }) => mutant.expected.includes(check)) ?? report.findings[0];
  const isFound = found.some((check) => mutant.expected.includes(check));
  return { mutant, found, isFound, text: finding ? findingText(finding) : '' };
}

/** What somebody kept of the log as it was. */
function keptSeal(events: readonly RecordedEvent[], withoutLast: number): { position: number; events: number; root: string; from: string } {
  const covered = events.slice(0, events.length - withoutLast);
  const range = MerkleRange.empty();
  for (const event of covered) range.add(leafOf(event));
  return { position: (covered[covered.length - 1] as RecordedEvent).position, events: covered.length, root: range.root(), from: 'kept' };
}
