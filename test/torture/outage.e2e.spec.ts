import { describe, expect, it } from 'vitest';
import { tortureKills } from './kills';
import { tortureOutage, type OutageOptions } from './outage';
import { SmallDisk } from './small-disk';

const seed = Number(process.env.KUBEREEL_TORTURE_SEED ?? 20_261_120);
const clean = /^\d+ decisions made again: all agree$/m;

const disk = SmallDisk.mount(1);
disk?.unmount();
if (!disk) console.warn('\n*** this process may not mount a file system: THE TEST OF A FULL DISK IS SKIPPED ***\n');

describe('under the load of eight clients', () => {
  it.for<[string, OutageOptions['how'], boolean, ...string[]]>([
    ['a store that is killed and comes back after 2 s', 'killed', true],
    ['a store that is frozen for 2 s', 'frozen', true],
    ['a disk that is full for 2 s', 'full', disk !== undefined],
    ['a disk that is full for 2 s under the store of many processes', 'full', disk !== undefined, '--split'],
  ])('%s loses nothing that was acknowledged', { timeout: 180_000 }, async ([, how, possible, ...flags], { skip }) => {
    if (!possible) skip('only root may mount a small disk');
    const report = await tortureOutage({ awayMs: 2_000, how, clients: 8, seed, loadMs: 1_000, flags });
    expect(report.red).toMatch(/\[-\]etcd failed/);
    expect(report.terminal).toMatch(/reads go on from memory, writes fail until it is back/);
    expect(report.terminal).toMatch(/the event log can be used again/);
    expect(report.problems).toEqual([]);
    expect(report.verified).toMatch(/digest chain whole/);
    expect(report.verified).toMatch(clean);
  });

  it('a cluster that is killed again and again loses nothing that was acknowledged', { timeout: 180_000 }, async () => {
    const report = await tortureKills({ kills: 4, clients: 8, seed, flags: [] });
    expect(report.problems).toEqual([]);
    expect(report.verified).toMatch(/digest chain whole/);
    expect(report.verified).toMatch(clean);
  });
});
