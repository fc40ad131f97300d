import { expect, it } from 'vitest';
import { kubereel } from '../e2e/running-cluster';
import { livesOf } from './lives';
import { playWatchers } from './run';
import { RunningServer } from './running';

it('tells watchers everything over real connections, though it is killed, split, and lets versions expire', async () => {
  const lives = livesOf(7);
  const server = await RunningServer.start(lives.flags());
  try {
    const options = { operations: 900, watchers: 30, seed: 7, restarts: 2, together: 64, timeouts: [1, 3] };
    const { frames, restarts } = await playWatchers(server, { ...options, isReviewed: true, expires: lives.expires });
    expect(restarts).toBe(2);
    expect(frames).toBeGreaterThan(500);
    await server.close();
    expect(await kubereel(['verify', '--data', server.folder])).toMatchObject({ code: 0 });
  } finally {
    await server.close();
    server.remove();
  }
}, 180_000);
