import type { KubeObject } from '#libs/kernel';
import { isFailure, type Failure } from '../../../../status';
import type { AllocationContext } from '../../../../strategy/allocation';
import { listOf, type Loose } from '../../../../validation/values';
import { readBackService } from '../read-back';
import { needsHealthCheckPort } from '../strategy';
import { allocateClusterIP } from './cluster-ips';
import { becomesAddressed, withFamilies } from './families';
import { keepAllocated, withBothFields } from './kept';
import { allocateHealthCheckPort, allocateNodePorts, reallocateNodePorts } from './node-ports';
import { PortOperation } from './port-operation';
import type { ServiceRanges } from './ranges';

/** Cluster IPs of the recorded control plane's default range. */
export const defaultServiceCidr = '10.0.0.0/24';

type Step = (service: KubeObject) => KubeObject | Failure;

/**
 * A Service with addresses and ports of nodes, or why it cannot have them: before anything else of it is made ready or validated. Values that
 * the client chose are checked, not changed.
 */
export function allocateService(service: KubeObject, old: KubeObject | undefined, ranges: ServiceRanges): KubeObject | Failure {
  return old ? reallocated(service, readBackService(old), ranges) : allocated(service, ranges);
}

function allocated(service: KubeObject, ranges: ServiceRanges): KubeObject | Failure {
  const ports = new PortOperation(ranges);
  return through(withBothFields(service), [
    (next) => withFamilies(next),
    (next) => allocateClusterIP(next, ranges),
    (next) => allocateNodePorts(next, ports),
    (next) => allocateHealthCheckPort(next, ports),
  ]);
}

function reallocated(service: KubeObject, old: KubeObject, ranges: ServiceRanges): KubeObject | Failure {
  const ports = new PortOperation(ranges);
  return through(withBothFields(keepAllocated(service, old), old), [
    (next) => withFamilies(next, old),
    (next) => (becomesAddressed(next.spec, old.spec) ? allocateClusterIP(next, ranges) : next),
    (next) => reallocateNodePorts(next, old, ports),
    (next) => (needsHealthCheckPort(old.spec) ? next : allocateHealthCheckPort(next, ports)),
  ]);
}

function through(service: KubeObject, steps: readonly Step[]): KubeObject | Failure {
  let result: KubeObject | Failure = service;
  for (const step of steps) {
    result = step(result);
    if (isFailure(result)) return result;
  }
  return result;
}

/** What other Services hold, and what the changed one holds, is not given away. */
export function beginService(service: KubeObject, old: KubeObject | undefined, context: AllocationContext): KubeObject | Failure {
  const held = { addresses: new Set<string>(), ports: new Set<number>() };
  let isRead = false;
  const read = (): typeof held => {
    if (!isRead) for (const other of context.list('services')) note(other.spec, held);
    isRead = true;
    return held;
  };
  return allocateService(service, old, {
    clusterIPs: context.serviceCidr ?? defaultServiceCidr,
    dryRun: context.dryRun,
    usesIP: (address) => read().addresses.has(address),
    usesPort: (port) => read().ports.has(port),
    chance: (bound) => context.chance(bound, 'service'),
  });
}

function note(spec: Loose, { addresses, ports }: { addresses: Set<string>; ports: Set<number> }): void {
  for (const address of listOf(spec?.clusterIPs)) addresses.add(address);
  for (const { nodePort } of listOf(spec?.ports)) if (nodePort) ports.add(nodePort);
  if (needsHealthCheckPort(spec) && spec.healthCheckNodePort) ports.add(spec.healthCheckNodePort);
}
