import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import known from './known-differences.json';
import { playOne } from './main';
import { areasIn, readArea } from './recording';

const folder = goldenFolder('controllers');
const differing = known as Record<string, (number | string)[]>;

describe.skipIf(!folder)('controllers do, step by step, what those of v1.34.4 did, but for steps that are known to differ', () => {
  const sessions = folder === undefined ? [] : areasIn(folder).flatMap((area) => readArea(folder, area));

  it.each(sessions.map((session) => [session.session, session] as const))(
    '%s',
    async (name, session) => {
      const { steps, unplayed } = await playOne(session);
      const found = steps.flatMap(({ step, differences }) =>
        (differing[name] ?? []).includes(step) ? [] : differences.map(({ path, text }) => `step ${step}: ${path}: ${text}`),
      );
      expect([...found, ...(unplayed === undefined ? [] : [unplayed])]).toEqual([]);
    },
    60_000,
  );

  it('each step that is known to differ is one of a recording', () => {
    const there = new Map(sessions.map(({ session, steps }) => [session, steps.map(({ step }) => step)]));
    for (const [session, steps] of Object.entries(differing))
      expect([session, there.get(session)]).toEqual([session, expect.arrayContaining(steps)]);
  });
});
