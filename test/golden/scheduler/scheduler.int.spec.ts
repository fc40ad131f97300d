import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import { playScheduler } from './main';

async function differencesIn(dir: string): Promise<{ passed: number; differences: string[] }> {
  const lines: string[] = [];
  const { passed, failed } = await playScheduler(dir, [], (line) => lines.push(line));
  const differences = lines.filter((line) => line.startsWith('  '));
  return { passed, differences: failed > 0 && differences.length === 0 ? [`${failed} failed`] : differences };
}

describe('decisions recorded from kube-scheduler v1.34.4', () => {
  it('are ours, in the sample of the repository', async () => {
    const { passed, differences } = await differencesIn(join(__dirname, 'sample'));
    expect(differences).toEqual([]);
    expect(passed).toBeGreaterThan(60);
  });

  const recordings = goldenFolder('scheduler');
  it.skipIf(recordings === undefined)(
    'are ours, in all recordings',
    async () => {
      const { passed, differences } = await differencesIn(recordings as string);
      expect(differences).toEqual([]);
      expect(passed).toBeGreaterThan(3000);
    },
    300_000,
  );

  it('are compared as strictly as they are played: a changed expectation is a difference, named', async () => {
    const lines: string[] = [];
    const { passed, failed } = await playScheduler(join(__dirname, 'fixtures'), [], (line) => lines.push(line));
    expect({ passed, failed }).toEqual({ passed: 0, failed: 1 });
    expect(lines.join('\n')).toContain('reasons filter.node-01.reasons: expected ["Insufficient memory"], got ["Insufficient cpu"]');
  });
});
