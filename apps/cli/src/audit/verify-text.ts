import { findingText, type Unproven, type VerifyReport } from '#libs/audit';
import { painter } from '../terminal/colour';
import { printable } from '../terminal/printable';
import { sealText } from './seal-text';

/** Findings printed in full; the rest is counted. */
const printedMax = 50;
/** Of a line. */
const lengthMax = 2_000;

/** @param missing what the data folder has seen of its log and the log does not have */
export function exitCodeOf(report: VerifyReport, missing: string | undefined): 0 | 1 | 3 {
  if (report.findingCount > 0 || missing !== undefined) return 1;
  return openReasons(report).length > 0 ? 3 : 0;
}

/** What `kubereel verify` prints: findings, what is not proven, the counts, and the verdict in plain words. */
export function verifyText(report: VerifyReport, missing: string | undefined): string {
  const paint = painter();
  const lines: string[] = missing === undefined ? [] : [printable(`removed: ${missing}`)];
  for (const finding of report.findings.slice(0, printedMax))
    lines.push(printable(findingText(finding), lengthMax) + printable(hintOf(finding.accept), lengthMax));
  const hidden = report.findingCount - Math.min(report.findings.length, printedMax);
  if (hidden > 0) lines.push(`… and ${hidden} more`);
  for (const reason of report.unproven) lines.push(printable(unprovenText(reason), lengthMax));
  lines.push(
    `${report.events} events, digest chain ${report.chain.length === 0 ? 'whole' : `broken in ${report.chain.length} ${report.chain.length === 1 ? 'place' : 'places'}`}`,
  );
  lines.push(...decisionLines(report));
  lines.push(...sealText(report.seals, report.events));
  const code = exitCodeOf(report, missing);
  lines.push(paint(code === 0 ? 'green' : code === 1 ? 'red' : 'yellow', verdictOf(report, code, missing)));
  return `${lines.join('\n')}\n`;
}

/** How many recorded decisions came out the same when made again, and how many could not be made again, with the reason. */
function decisionLines({ agreed, differ, otherVersion, notDerivable }: VerifyReport): string[] {
  const lines = [`${counted(agreed + differ)} made again: ${differ === 0 ? 'all agree' : `${agreed} agree, ${differ} differ`}`];
  if (otherVersion > 0) lines.push(`${counted(otherVersion)} not made again: another version of the controller decided`);
  if (notDerivable > 0)
    lines.push(
      `${counted(notDerivable)} not made again: the controller, or a plugin of it, is not here (--scheduler-plugins FILE brings a plugin)`,
    );
  return lines;
}

function counted(decisions: number): string {
  return `${decisions} ${decisions === 1 ? 'decision' : 'decisions'}`;
}

function unprovenText({ accept, from, to, count, text, isAccepted }: Unproven): string {
  const range = from === to ? `at ${from}` : `${count} from ${from} to ${to}`;
  return isAccepted ? `accepted (${accept}), ${range}: ${text}` : `not proven, ${range}: ${text}${hintOf(accept)}`;
}

function hintOf(accept: string | undefined): string {
  return accept === undefined ? '' : ` [--accept ${accept}]`;
}

function openReasons({ unproven }: VerifyReport): Unproven[] {
  return unproven.filter(({ isAccepted }) => !isAccepted);
}

function verdictOf(report: VerifyReport, code: 0 | 1 | 3, missing: string | undefined): string {
  const findings = report.findingCount + (missing === undefined ? 0 : 1);
  if (code === 1) return `This log is not as it was written: ${findings} ${findings === 1 ? 'finding' : 'findings'}.`;
  if (code === 3) return 'Nothing is wrong with what can be proven here; what is named above cannot be.';
  return "Proven: kubereel's rules lead to exactly this log.";
}
