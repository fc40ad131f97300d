import { describe, expect, it } from 'vitest';
import { choiceOf } from './choice';

const groups = ['fold', 'split', 'scaling'];
const choice = (...args: string[]) => choiceOf(args, groups, new Set(['scaling']));
const groupsThereAre = 'Groups: fold, split, scaling (only when named)';

describe('what npm run bench measures', () => {
  it('is every group but those that take long, when none is named', () => {
    expect(choice()).toEqual({ groups: ['fold', 'split'], quick: false, save: false });
    expect(choice('--quick', '--save')).toEqual({ groups: ['fold', 'split'], quick: true, save: true });
  });

  it('is the groups that are named, in their own order', () => {
    expect(choice('scaling', '--quick', 'fold')).toEqual({ groups: ['fold', 'scaling'], quick: true, save: false });
  });

  it.each(['fodl', '--quickly'])('is nothing for %s, a mistake that is answered with the groups there are', (word) => {
    const answer = choice('fold', word) as { usage: string; mistake: boolean };
    expect(answer.mistake).toBe(true);
    expect(answer.usage).toContain(`"${word}" is no group and no flag`);
    expect(answer.usage).toContain(groupsThereAre);
  });

  it('is nothing for --help, which tells the groups there are', () => {
    expect(choice('--help')).toEqual({ usage: `npm run bench -- [--quick] [--save] [GROUP …]\n${groupsThereAre}`, mistake: false });
  });
});
