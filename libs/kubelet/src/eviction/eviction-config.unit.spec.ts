import { describe, expect, it } from 'vitest';
import { evictionConfigOf } from './eviction-config';
import { bytesAt, quantityAt } from './thresholds';

const namesOf = (settings?: Parameters<typeof evictionConfigOf>[0]): string[] =>
  evictionConfigOf(settings).thresholds.map(({ name }) => name);

describe('the setting of eviction', () => {
  it("is upstream's for Linux where nothing is said", () => {
    expect(namesOf()).toEqual([
      'memory.available<100Mi',
      'nodefs.available<10%',
      'nodefs.inodesFree<5%',
      'imagefs.available<15%',
      'imagefs.inodesFree<5%',
      'allocatableMemory.available<100Mi',
      'containerfs.available<10%',
      'containerfs.inodesFree<5%',
    ]);
    expect(evictionConfigOf()).toMatchObject({ transitionMs: 300_000, maxPodGraceSeconds: 0 });
  });

  it('takes the given hard thresholds in place of all usual ones, unless they are to be merged', () => {
    const evictionHard = { 'memory.available': '500Mi' };
    expect(namesOf({ evictionHard, enforceNodeAllocatable: [] })).toEqual(['memory.available<500Mi']);
    expect(namesOf({ evictionHard, mergeDefaultEvictionSettings: true })).toContain('nodefs.available<10%');
  });

  it('has soft thresholds with their grace, beside hard ones of the same signal', () => {
    const settings = {
      evictionHard: { 'memory.available': '500Mi' },
      evictionSoft: { 'memory.available': '1Gi' },
      evictionSoftGracePeriod: { 'memory.available': '1m30s' },
      enforceNodeAllocatable: [],
    };
    expect(namesOf(settings)).toEqual(['memory.available<500Mi', 'memory.available<1Gi for 90s']);
  });

  it('leaves out what is set to nothing or all', () => {
    expect(namesOf({ evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '100%' } })).toEqual([]);
  });

  it('counts parts as upstream does: a tenth is a little more', () => {
    const [threshold] = evictionConfigOf({ evictionHard: { 'nodefs.available': '10%' } }).thresholds;
    const value = threshold?.value ?? { quantity: '0' };
    expect(bytesAt(value, 107_374_182_400)).toBe(10_737_418_400);
    expect(quantityAt(value, 107_374_182_400)).toBe('10737418400');
    expect(quantityAt({ quantity: '1024Mi' }, 0)).toBe('1Gi');
  });

  it.each([
    [{ evictionHard: { 'memory.free': '1Gi' } }, 'unsupported eviction signal memory.free'],
    [{ evictionHard: { 'memory.available': '0' } }, 'eviction threshold memory.available must be positive: 0'],
    [{ evictionHard: { 'memory.available': '-5%' } }, 'eviction percentage threshold memory.available must be >= 0%: -5%'],
    [{ evictionHard: { 'memory.available': '110%' } }, 'eviction percentage threshold memory.available must be <= 100%: 110%'],
    [{ evictionHard: { 'memory.available': 'much' } }, 'quantities must match the regular expression'],
    [{ evictionSoft: { 'memory.available': '1Gi' } }, 'grace period must be specified for the soft eviction threshold memory.available'],
    [{ evictionMinimumReclaim: { 'memory.available': '-1Mi' } }, 'negative eviction minimum reclaim specified for memory.available'],
    [{ evictionMinimumReclaim: { 'memory.available': '0%' } }, 'eviction percentage minimum reclaim memory.available must be positive: 0%'],
    [{ evictionPressureTransitionPeriod: 'soon' }, 'time: invalid duration "soon"'],
  ])('refuses %j', (settings, message) => {
    expect(() => evictionConfigOf(settings as never)).toThrow(message);
  });
});
