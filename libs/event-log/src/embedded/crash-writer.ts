import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openEmbeddedLog } from './embedded-log';

/**
 * Run as a process of its own by the crash test: `crash-writer FOLDER DURABILITY SEED [COUNT]`. Appends to several streams without
 * end, a few appends at a time, and writes a line to standard output for every append that was acknowledged. After COUNT of those it
 * ends as a process does that closes nothing.
 */
async function main([folder, durability, seed, endAfter = 'Infinity']: string[]): Promise<void> {
  let state = Number(seed);
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const log = await openEmbeddedLog({ folder: folder!, durability: durability as 'default' | 'full' });
  writeSync(1, 'open\n');
  for (let acknowledged = 0; ;) {
    const appends = Array.from({ length: 1 + random(6) }, async () => {
      const append = randomUUID();
      const stream = `crash-${random(5)}`;
      const count = 1 + random(8);
      const text = 'x'.repeat(random(20) === 0 ? 60_000 : random(400));
      const events = Array.from({ length: count }, (_, i) => ({
        id: randomUUID(),
        type: 'Written',
        data: { append, i, count, text },
        metadata: {},
      }));
      const { revision, position } = await log.append(stream, events, 'any');
      writeSync(1, `${JSON.stringify({ append, stream, count, revision, position })}\n`);
      if (++acknowledged === Number(endAfter)) process.exit(0);
    });
    await Promise.all(appends);
  }
}

void main(process.argv.slice(2));
