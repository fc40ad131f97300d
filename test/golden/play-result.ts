// What every player of recordings reports, and how it is shown. The unit that is counted is a step.

export interface Difference {
  /** Where, as a path into the answer: `body.metadata.labels.app`, `headers.warning`, `frames[2].type`. */
  path: string;
  /** What was expected there and what came. */
  text: string;
}

export interface StepResult {
  /** The step's number in the recording, or a name where a recording has none. */
  step: number | string;
  differences: Difference[];
  /** What is not built yet and would have to be, for a step that differs. */
  waitsFor?: string;
}

export interface SessionResult {
  session: string;
  /** How many steps the recording has; those without a result were not reached and count as failed. */
  total: number;
  steps: StepResult[];
  /** Why the whole session, or the rest of it, could not be played. The unplayed steps count as failed. */
  unplayed?: string;
  /** Why nothing of it was played, counted neither as passed nor as failed (a tool is absent on this machine). */
  skipped?: string;
  seconds: number;
  /** What the reader should know about how this was come by. */
  note?: string;
}

/** What a kind of recording (`api`, `scheduler`, …) offers to the command. */
export type Player = (dir: string, sessions: readonly string[], options: PlayOptions) => Promise<SessionResult[]>;

export interface PlayOptions {
  out: (line: string) => void;
  /** Show every difference instead of the first twenty of a session. */
  all: boolean;
  json: boolean;
  /** The kind's own options, as written: `--server URL` is `{server: 'URL'}`. */
  values: Readonly<Record<string, string | undefined>>;
}

const shownPerSession = 20;

export function passedSteps(result: SessionResult): number {
  return result.steps.filter((step) => step.differences.length === 0).length;
}

/** How many steps wait, by what they wait for. */
export function waitingSteps(result: SessionResult): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { waitsFor } of result.steps) if (waitsFor !== undefined) counts.set(waitsFor, (counts.get(waitsFor) ?? 0) + 1);
  return counts;
}

export function failedSteps(result: SessionResult): number {
  const waiting = result.steps.filter(({ waitsFor }) => waitsFor !== undefined).length;
  return result.skipped === undefined ? result.total - passedSteps(result) - waiting : 0;
}

/** `session: passed/total`, then its differences, each with its step and path. */
export function sessionLines(result: SessionResult, all: boolean): string[] {
  if (result.skipped !== undefined) return [`!!! ${result.session}: SKIPPED, nothing was checked: ${result.skipped}`];
  const lines = [`${result.session}: ${passedSteps(result)}/${result.total}${result.note === undefined ? '' : ` (${result.note})`}`];
  for (const [reason, count] of waitingSteps(result)) lines.push(`  ${count} wait for ${reason}`);
  const differences = result.steps.flatMap((step) =>
    step.waitsFor !== undefined && !all
      ? []
      : step.differences.map(({ path, text }) => `  step ${step.step}: ${path === '' ? '' : `${path}: `}${text}`),
  );
  const shown = all ? differences : differences.slice(0, shownPerSession);
  lines.push(...shown);
  if (shown.length < differences.length) {
    lines.push(`  … and ${differences.length - shown.length} more differences (--all shows them)`);
  }
  if (result.unplayed !== undefined) {
    lines.push(`  not played: ${result.unplayed} (${result.total - result.steps.length} steps count as failed)`);
  }
  return lines;
}
