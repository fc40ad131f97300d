import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fuzz } from './fuzz';

const requests = 5_000;

it('answers whatever it is asked, keeps what it has acknowledged, and nothing else', async () => {
  const { folder, problems, writers, ...report } = await fuzz({ seed: 1, requests, from: 0, controllers: false });
  rmSync(folder, { recursive: true, force: true });
  expect(problems).toEqual([]);
  expect(report.requests).toBe(requests);
  expect(writers).toBeGreaterThan(requests / 50);
}, 600_000);
