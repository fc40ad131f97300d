import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import known from './known-differences.json';
import { playOne } from './main';
import { readGroup } from './recording';

const folder = goldenFolder('kubelet');

/** Groups, and how many lives each has. */
const groups: [group: string, lives: number][] = [
  ['admission', 17],
  ['basic', 8],
  ['config', 11],
  ['crashloop', 8],
  ['deadline', 4],
  ['deletion', 20],
  ['ephemeral', 5],
  ['eviction', 15],
  ['hooks', 11],
  ['images', 15],
  ['init', 8],
  ['kubelet-restart', 3],
  ['message', 6],
  ['node', 3],
  ['preemption', 7],
  ['probes', 34],
  ['resize', 12],
  ['restart', 16],
  ['sidecars', 16],
  ['static', 8],
];

describe.skipIf(!folder)('pods live as they did on a kubelet of v1.34.4, but for lives that are known not to', () => {
  it.each(groups)(
    '%s',
    async (group, count) => {
      const lives = readGroup(folder as string, group);
      expect(lives.length).toBe(count);
      const found: string[] = [];
      for (const life of lives) {
        if ((known as string[]).includes(life.id)) continue;
        const { differences } = await playOne(life);
        found.push(...differences.map(({ path, text }) => `${life.id} ${path}: ${text}`));
      }
      expect(found).toEqual([]);
    },
    60_000,
  );
});
