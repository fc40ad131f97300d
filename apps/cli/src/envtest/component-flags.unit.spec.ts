import { describe, expect, it } from 'vitest';
import { allOf, lastOf, readFlags, switchOf } from './component-flags';
import { warningsOf } from './flag-warnings';

const names = {
  switches: ['allow-privileged'],
  others: ['secure-port', 'service-account-key-file', 'feature-gates', 'service-cluster-ip-range'],
};
const read = (...words: string[]): ReturnType<typeof readFlags> => readFlags('kube-apiserver', names, words);

describe('flags of a component', () => {
  it.each([
    [['--secure-port=1']],
    [['--secure-port', '1']],
    [['--secure_port=1']],
    [['--secure-port=2', '--secure-port=1']],
    [['-v', '4', '--secure-port=1']],
  ])('%j name port 1', (words) => {
    expect(lastOf(read(...words), 'secure-port')).toBe('1');
  });

  it('of a list come again, or with commas', () => {
    const given = read('--service-account-key-file=a,b', '--service-account-key-file=c');
    expect(allOf(given, 'service-account-key-file')).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [[], undefined],
    [['--allow-privileged'], true],
    [['--allow-privileged=false'], false],
    [['--allow-privileged', '--secure-port=1'], true],
  ])('%j: the switch is %s', (words, value) => {
    expect(switchOf('kube-apiserver', read(...words), 'allow-privileged')).toBe(value);
  });

  it.each([
    [['--nothing'], 'unknown flag: --nothing'],
    [['--secure-port'], 'flag needs an argument: --secure-port'],
    [['serve'], 'unknown command "serve" for "kube-apiserver"'],
  ])('%j are refused', (words, text) => {
    expect(() => read(...words)).toThrow(text);
  });

  it('of a switch that is no boolean are refused', () => {
    expect(() => switchOf('kube-apiserver', read('--allow-privileged=maybe'), 'allow-privileged')).toThrow('invalid argument "maybe"');
  });

  it('that change nothing are named, and no others', () => {
    expect(warningsOf(read('--secure-port=1', '--service-cluster-ip-range=10.0.0.0/24'))).toEqual([]);
    expect(warningsOf(read('--feature-gates=A=true', '--service-cluster-ip-range=10.1.0.0/16'))).toEqual([
      '--feature-gates changes nothing in kubereel',
      '--service-cluster-ip-range=10.1.0.0/16: addresses are of 10.0.0.0/24',
    ]);
  });
});
