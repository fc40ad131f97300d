import type { LiveClock } from '#libs/control-loop';

/** A difference to the wall clock that is worth a line at the start, ms. */
const toldMsMin = 60_000;

/** Says on the terminal what the wall clock has done to the cluster's time, or would have. */
export function tellOfSteps(clock: LiveClock, say: (line: string) => void): void {
  tellOfSpeed(clock, say);
  const ahead = clock.speed === 1 ? clock.ahead() : 0;
  if (ahead >= toldMsMin) {
    say(`the cluster's time is ${spanOf(ahead)} ahead of the wall clock: it goes on from there, a tenth slower until the two agree`);
  }
  clock.onStep = (byMs) => {
    const what = byMs < 0 ? `back by ${spanOf(-byMs)}` : `forward by ${spanOf(byMs)}`;
    const rest = byMs < 0 ? 'a tenth slower' : 'up to twice as fast';
    say(`the wall clock was set ${what}: the cluster's time goes on without a jump, ${rest} until the two agree`);
  };
}

/** kubectl reckons some ages by the clock of its own machine. */
function tellOfSpeed(clock: LiveClock, say: (line: string) => void): void {
  const { speed } = clock;
  if (speed <= 1) return;
  const left = clock.catchesUpIn();
  if (left === undefined) {
    const ages = 'of the ages that kubectl shows those of `get` are right, those of `describe` and `events` <invalid>';
    say(
      `the cluster's time runs ×${speed}, ahead of the wall clock: ${ages} (--clock ×${speed},from=7d begins 7 days ago and ends at now)`,
    );
    return;
  }
  const ages = 'until then the ages in `describe` and `events` of kubectl are too large';
  say(`the cluster's time runs ×${speed} from ${spanOf(left * (speed - 1))} ago, and comes to the wall clock in ${spanOf(left)}: ${ages}`);
  clock.onCaughtUp = () => say("the cluster's time has come to the wall clock, and goes with it from now on");
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `10d`, `1h30m`, `2s`: the two largest units. */
export function spanOf(ms: number): string {
  const parts: string[] = [];
  let left = Math.round(ms / 1000) * 1000;
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count}${unit}`);
  }
  return parts.join('') || '0s';
}
