/** Answers that hold from a moment after a start on, each until the next one's; `cycleMs` begins again from the first. */
export interface Timeline<A> {
  /** In order; what is asked before the first step is answered by the first. Never empty. */
  steps: readonly ({ fromMs: number } & A)[];
  cycleMs?: number;
}

/** What holds this many ms after the start. */
export function answerAt<A>({ steps, cycleMs }: Timeline<A>, sinceStartMs: number): A {
  const at = cycleMs === undefined ? sinceStartMs : sinceStartMs % cycleMs;
  let found = steps[0] as A;
  for (const step of steps) {
    if (step.fromMs > at) break;
    found = step;
  }
  return found;
}

/** When, in ms after the start, another step than at this moment begins; undefined: never again. */
export function nextStepAt<A>({ steps, cycleMs }: Timeline<A>, sinceStartMs: number): number | undefined {
  const turn = cycleMs === undefined ? 0 : Math.floor(sinceStartMs / cycleMs) * cycleMs;
  const ahead = steps.find(({ fromMs }) => turn + fromMs > sinceStartMs && (cycleMs === undefined || fromMs < cycleMs));
  if (ahead) return turn + ahead.fromMs;
  return cycleMs === undefined || steps.length < 2 ? undefined : turn + cycleMs;
}

/** The same at any time. */
export function always<A>(answer: A): Timeline<A> {
  return { steps: [{ fromMs: 0, ...answer }] };
}
