import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds';
import type { Failure } from '../status';
import { allocateService } from '../strategy';
import type { StateView } from './request';

/** Cluster IPs of the recorded control plane's default range. */
export const defaultServiceCidr = '10.0.0.0/24';

interface AllocationContext {
  serviceCidr?: string;
  chance(bound: number, label: string): number;
}

/** What the server itself hands out: addresses and node ports of Services. Other kinds are given nothing. */
export function allocated(
  state: StateView,
  kind: ResourceKind,
  object: KubeObject,
  old: KubeObject | undefined,
  context: AllocationContext,
): KubeObject | Failure {
  if (kind.groupResource !== 'services') return object;
  const addresses = new Set<string>();
  const ports = new Set<number>();
  for (const service of state.list('services')) {
    if (service.metadata.uid === object.metadata.uid) continue;
    for (const address of (service.spec?.clusterIPs as string[] | undefined) ?? []) addresses.add(address);
    for (const port of (service.spec?.ports as { nodePort?: number }[] | undefined) ?? []) if (port.nodePort) ports.add(port.nodePort);
  }
  const ranges = {
    clusterIPs: context.serviceCidr ?? defaultServiceCidr,
    usesIP: (address: string) => addresses.has(address),
    usesPort: (port: number) => ports.has(port),
    chance: (bound: number) => context.chance(bound, 'service'),
  };
  return allocateService(object, ranges, old);
}
