import { describe, expect, it } from 'vitest';
import { tour } from './tour';

async function told(columns = Infinity): Promise<string[]> {
  const lines: string[] = [];
  await tour((line) => void lines.push(...line.split('\n')), columns);
  return lines;
}

describe('tour', () => {
  it('shows a preemption, its reasons, the cluster before it, and the same without preemption', async () => {
    const lines = await told();
    const text = lines.join('\n');
    expect(text).toMatch(/high \(1000000\) preempts low-[ab] \(100\) on node-1/);
    expect(text).toMatch(/→ node-1 {2}removes low-[ab] \(100\); keeps low-[ab] \(100\)/);
    // Before: three pods, one of them pending; now two.
    expect(text).toMatch(
      /Just before it:\n(.*\n)? +NAME .*\n +high +0\/1 +Pending .*\n +low-a +1\/1 +Running .*\n +low-b +1\/1 +Running .*\nAnd now:\n +NAME .*\n +high +1\/1 +Running .*\n +low-[ab] +1\/1 +Running .*\n\n/,
    );
    expect(text).toMatch(/not eligible due to\s+preemptionPolicy=Never\./);
    expect(text).toMatch(/\d+ agree, 0 differ\./);
  });

  it('fits two screens', async () => {
    const lines = await told();
    expect(lines.length).toBeLessThanOrEqual(64);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  });

  it('fits 80 columns, but for commands', async () => {
    const lines = await told(80);
    expect(lines.filter((line) => line.length > 80 && !line.includes('$ kubectl'))).toEqual([]);
  });

  it('is the same every time', async () => {
    expect(await told()).toEqual(await told());
  });
});
