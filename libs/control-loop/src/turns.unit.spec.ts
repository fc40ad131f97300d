import { describe, expect, it } from 'vitest';
import { Turns } from './turns';

describe('turns', () => {
  it('are taken one at a time and in order, for each key by itself', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const go = async (key: string, name: string): Promise<void> => {
      const end = await turns.take(key);
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      end();
    };
    await Promise.all([go('a', 'first'), go('a', 'second'), go('b', 'other'), go('a', 'third')]);
    expect(seen.filter((text) => !text.startsWith('other'))).toEqual([
      'first begins',
      'first ends',
      'second begins',
      'second ends',
      'third begins',
      'third ends',
    ]);
    expect(seen.indexOf('other ends')).toBeLessThan(seen.indexOf('second ends'));
  });
});
