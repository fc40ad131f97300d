import { expect, it } from 'vitest';
import { InProcessServer } from './in-process';
import { playWatchers } from './run';

it.each([undefined, 300])(
  'tells every watcher everything, once and in order, however it comes and goes (events kept: %s)',
  async (compactAfter) => {
    const server = await InProcessServer.start(compactAfter);
    const options = { isReviewed: false, expires: () => compactAfter !== undefined, timeouts: [150], together: 16 };
    const report = await playWatchers(server, { operations: 2_000, watchers: 50, seed: 20_261_121, restarts: 1, ...options }).finally(() =>
      server.close(),
    );
    expect(report.operations).toBeGreaterThanOrEqual(2_000);
    expect(report.frames).toBeGreaterThan(5_000);
    expect(report.openings).toBeGreaterThan(200);
    expect(report.expired > 0).toBe(compactAfter !== undefined);
  },
  120_000,
);

it('knows what the deletion of a collection may take, where much is asked of few objects at once', async () => {
  const server = await InProcessServer.start();
  const options = { isReviewed: false, expires: () => false, timeouts: [150], together: 64, resources: ['nodes'] };
  const report = await playWatchers(server, { operations: 1_500, watchers: 4, seed: 3, restarts: 0, ...options }).finally(() =>
    server.close(),
  );
  expect(report.overtaken).toBeGreaterThan(0);
}, 120_000);
