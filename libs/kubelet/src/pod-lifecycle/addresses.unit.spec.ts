import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { PodAddresses } from './addresses';

const node = (name: string, address: string, podCIDR?: string): KubeObject => ({
  metadata: { name, uid: name, creationTimestamp: '' },
  spec: podCIDR ? { podCIDR } : {},
  status: { addresses: [{ type: 'InternalIP', address }] },
});
const own = node('node-1', '172.18.0.2');

/** The address that the pod is given, and keeps. */
function assigned(addresses: PodAddresses, on: KubeObject, pod: string): string {
  const chosen = addresses.choose(on, pod);
  expect(addresses.choose(on, pod)).toBe(chosen);
  addresses.assign(on, pod);
  expect(addresses.choose(on, pod)).toBe(chosen);
  return chosen;
}

describe('addresses of pods', () => {
  it('are one after the other, and the same for the same pod', () => {
    const addresses = new PodAddresses();
    expect([assigned(addresses, own, 'a'), assigned(addresses, own, 'b'), assigned(addresses, own, 'a')]).toEqual([
      '10.128.8.2',
      '10.128.8.3',
      '10.128.8.2',
    ]);
    expect(assigned(addresses, node('node-2', '172.18.0.3'), 'c')).toBe('10.128.12.2');
  });

  it('come from the podCIDR where the node has one', () => {
    expect(assigned(new PodAddresses(), node('n', '10.0.0.1', '10.244.3.0/24'), 'a')).toBe('10.244.3.2');
    expect(assigned(new PodAddresses(), node('n', '172.18.0.2', 'nonsense'), 'a')).toBe('10.128.8.2');
  });

  it('are different for nodes with addresses of other origin', () => {
    const addresses = new PodAddresses();
    const [a, b] = [assigned(addresses, node('x', '192.168.0.1'), 'a'), assigned(addresses, node('y', '192.168.0.2'), 'b')];
    expect(a).not.toBe(b);
  });

  it('are given again when their turn comes round', () => {
    const addresses = new PodAddresses();
    const small = node('n', '10.0.0.1', '10.244.3.0/29');
    expect(['a', 'b', 'c'].map((pod) => assigned(addresses, small, pod))).toEqual(['10.244.3.2', '10.244.3.3', '10.244.3.4']);
    addresses.release('n', 'a');
    expect(['d', 'e', 'f'].map((pod) => assigned(addresses, small, pod))).toEqual(['10.244.3.5', '10.244.3.6', '10.244.3.2']);
    addresses.release('n', 'unknown');
    expect(assigned(addresses, small, 'g')).toMatch(/^10\.244\.3\.\d$/);
  });

  it('are taken up again after a restart, with the range that pods point to', () => {
    const before = new PodAddresses();
    const foreign = node('x', '192.168.0.1');
    const first = assigned(before, foreign, 'a');
    const after = new PodAddresses();
    after.note(foreign, 'a', first);
    after.note(own, 'b', '10.128.8.9');
    after.note(own, 'c', 'garbage');
    expect(assigned(after, foreign, 'a')).toBe(first);
    expect(assigned(after, foreign, 'z')).not.toBe(first);
    expect(assigned(after, own, 'd')).toBe('10.128.8.10');
  });
});
