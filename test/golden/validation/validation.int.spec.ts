import { expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import differences from './known-differences.json';
import { playValidation } from './main';

const known: readonly string[] = differences;

const folder = goldenFolder('validation');
/** One case in so many: enough to see that a rule has gone, in seconds. All of them: `npm run golden -- validation`. */
const every = '7';

it.skipIf(!folder)(
  'recorded rules agree, but for those that are known not to',
  async () => {
    const results = await playValidation(folder as string, [], { values: { every } });
    const steps = results.flatMap((result) => result.steps);
    const nameOf = (step: number | string): string => String(step).split(' ')[0] as string;
    const failed = steps.filter(({ differences }) => differences.length > 0);
    const unknown = failed.filter(({ step }) => !known.includes(nameOf(step)));
    expect(unknown.map(({ step, differences }) => `${step}: ${differences[0]?.path} ${differences[0]?.text}`)).toEqual([]);
    // One that agrees by now is taken off the list.
    const agreed = steps.filter(({ step, differences }) => differences.length === 0 && known.includes(nameOf(step)));
    expect(agreed.map(({ step }) => step)).toEqual([]);
    expect(steps.length).toBeGreaterThan(700);
  },
  120_000,
);
