import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventReader } from '#libs/cluster-state';
import { openEmbeddedLog } from '#libs/event-log';

const dayMs = 86_400_000;
const setEveryMs = 400;
/** Of several processes, each notices a step within a second, and what another one has just written a moment after that. */
const splitSlackMs = 3_000;

/** The wall clock of a program under test, in the test's hands. */
export class WallClock {
  private readonly file: string;
  private setting: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.file = join(folder, 'wall-clock-offset');
    this.set(0);
  }

  /** What the program has to be started with. */
  get environment(): Record<string, string> {
    const preloaded = [join(__dirname, '../../scripts/sources.cjs'), join(__dirname, 'set-wall-clock.ts')];
    return { NODE_OPTIONS: preloaded.map((path) => `--require ${path}`).join(' '), KUBEREEL_TEST_CLOCK: this.file };
  }

  set(offsetMs: number): void {
    // The program never reads a half-written file.
    writeFileSync(`${this.file}.new`, String(offsetMs));
    renameSync(`${this.file}.new`, this.file);
  }

  /** Sets it again and again, up to ten days forward or back, until `rest`. */
  disturb(chance: (bound: number) => number): void {
    this.setting = setInterval(() => this.set(chance(20 * dayMs) - 10 * dayMs), setEveryMs);
  }

  rest(): void {
    clearInterval(this.setting);
    this.set(0);
  }
}

/** Events whose cluster time is earlier than that of an event before them, in the log of a stopped cluster. */
export async function timesGoneBack(folder: string, split: boolean): Promise<string[]> {
  const log = await openEmbeddedLog({ folder: join(folder, 'log'), readOnly: true });
  const problems: string[] = [];
  const reader = new EventReader();
  let latest = 0;
  for await (const page of log.readAll()) {
    for (const { stream, position, metadata } of page.map((event) => reader.read(event))) {
      const time = metadata.time as number;
      if (time < latest - (split ? splitSlackMs : 0))
        problems.push(`${stream} at ${position}: its time is ${latest - time} ms before an earlier event's`);
      latest = Math.max(latest, time);
    }
  }
  await log.close();
  return problems;
}
