import { readFileSync } from 'node:fs';

/**
 * Preloaded into a program under test (`--require`): its wall clock is off by as many ms as the file in KUBEREEL_TEST_CLOCK says, as if
 * somebody had set it. The monotonic clock stays what it is.
 */
const file = process.env.KUBEREEL_TEST_CLOCK;
const lookEveryMs = 20;
const RealDate = Date;
let offset = 0;

function look(): void {
  try {
    offset = Number(readFileSync(file as string, 'utf8')) || 0;
  } catch {
    offset = 0;
  }
}

if (file) {
  look();
  setInterval(look, lookEveryMs).unref();
  class SetDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(RealDate.now() + offset);
      else super(...(given as [number]));
    }

    static override now(): number {
      return RealDate.now() + offset;
    }
  }
  globalThis.Date = SetDate as DateConstructor;
}
