import { describe, expect, it } from 'vitest';
import { textDigest } from '#libs/events';
import { StreamHeads, type StreamHead } from './stream-heads';

const nameOf = (i: number): string => `local.pods-default/p-${i}`;
const headOf = (i: number): StreamHead => ({ revision: i, digest: `${textDigest(`d${i}`)}abcdef` });

describe('the heads of streams', () => {
  it('are known whether or not what the stream is about is gone', () => {
    const heads = new StreamHeads();
    for (let i = 0; i < 5_000; i++) {
      heads.set(nameOf(i), headOf(i));
      if (i % 3 > 0) heads.bury(nameOf(i));
    }
    for (let i = 0; i < 5_000; i++) expect(heads.get(nameOf(i))).toEqual(headOf(i));
    expect(heads.get('local.pods-default/other')).toBeUndefined();
    expect(heads.size).toBe(5_000);
    expect(heads.entries()).toHaveLength(1_667);
  });

  it('go on when what was gone comes back, and is gone again', () => {
    const heads = new StreamHeads();
    for (const revision of [3, 17, 99]) {
      heads.set(nameOf(1), { ...headOf(1), revision });
      expect(heads.get(nameOf(1))?.revision).toBe(revision);
      heads.bury(nameOf(1));
      expect(heads.get(nameOf(1))?.revision).toBe(revision);
    }
    expect(heads.entries()).toEqual([]);
    expect(heads.size).toBe(1);
    heads.bury('local.pods-default/never');
    expect(heads.get('local.pods-default/never')).toBeUndefined();
  });

  it('are let go of with what the stream is about, where nobody appends', () => {
    const heads = new StreamHeads();
    heads.keepGone((stream) => stream.startsWith('local.nodes-'));
    for (const stream of ['local.nodes-a', nameOf(1), nameOf(2)]) heads.set(stream, headOf(7));
    for (const stream of ['local.nodes-a', nameOf(1)]) heads.bury(stream);
    expect(heads.get('local.nodes-a')).toEqual(headOf(7));
    expect(heads.get(nameOf(1))).toBeUndefined();
    expect(heads.get(nameOf(2))).toEqual(headOf(7));
    expect(heads.size).toBe(2);
    heads.set(nameOf(1), headOf(8));
    expect(heads.get(nameOf(1))).toEqual(headOf(8));
  });

  it('that somebody else wrote in a form of his own are kept as they are', () => {
    const heads = new StreamHeads();
    const odd = [
      { revision: 1, digest: 'short' },
      { revision: 1, digest: '' },
      { revision: 2 ** 40, digest: headOf(1).digest },
      { revision: 1, digest: 'ééééééééééééééééééééé ' },
    ];
    odd.forEach((head, i) => {
      heads.set(nameOf(i), head);
      heads.bury(nameOf(i));
    });
    odd.forEach((head, i) => expect(heads.get(nameOf(i))).toEqual(head));
  });

  it('are written down and put back in the same order', () => {
    const heads = new StreamHeads();
    for (let i = 0; i < 1_500; i++) {
      heads.set(nameOf(i), headOf(i));
      heads.bury(nameOf(i));
    }
    const again = new StreamHeads();
    again.restoreBuried(JSON.parse(JSON.stringify(heads.buried())) as string[]);
    for (let i = 0; i < 1_500; i++) expect(again.get(nameOf(i))).toEqual(headOf(i));
    expect(again.buried()).toEqual(heads.buried());
    expect(again.buried().join('').length / 1_500).toBeLessThan(57);
  });
});
