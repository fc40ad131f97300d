import type { KubeObject } from '#libs/kernel';
import { internalError, invalid, invalidValue, isFailure, plainError, type Failure } from '../../../../status';
import { listOf, type Loose } from '../../../../validation/values';
import { needsHealthCheckPort } from '../strategy';
import type { PortOperation } from './port-operation';

/** Whether ports that ask for no number are given one. */
function givesNodePorts({ type, allocateLoadBalancerNodePorts }: Loose): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts === true);
}

function isReachedAtNodes({ type }: Loose): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function taken(service: KubeObject, index: number, nodePort: number, operation: PortOperation): Failure | undefined {
  const why = operation.take(nodePort);
  if (why === undefined) return undefined;
  return invalid('Service', service.metadata.name, [invalidValue(`spec.ports[${index}].nodePort`, nodePort, why)]);
}

function given(operation: PortOperation): number | Failure {
  const found = operation.takeAny();
  return 'port' in found ? found.port : internalError(`failed to allocate a nodePort: ${found.why}`);
}

function withPorts(service: KubeObject, ports: readonly Loose[]): KubeObject {
  return { ...service, spec: { ...service.spec, ports } };
}

/** Of a new Service: the same number of a port has one port of nodes, whatever its protocol. Source: upstream `initNodePorts`. */
export function allocateNodePorts(service: KubeObject, operation: PortOperation): KubeObject | Failure {
  const spec: Loose = service.spec;
  if (!isReachedAtNodes(spec)) return service;
  const ports: Loose[] = [];
  const ofNumber = new Map<number, number>();
  for (const [index, port] of listOf(spec.ports).entries()) {
    const asked: number = port.nodePort || 0;
    if (asked === 0 && !givesNodePorts(spec)) {
      ports.push(port);
      continue;
    }
    const known = ofNumber.get(port.port);
    let nodePort = asked || (known ?? 0);
    if (known === undefined) {
      const wanted = firstAsked(listOf(spec.ports), port.port);
      const found = wanted === 0 ? given(operation) : (taken(service, index, wanted, operation) ?? wanted);
      if (isFailure(found)) return found;
      nodePort = found;
      ofNumber.set(port.port, nodePort);
    } else if (asked !== 0 && asked !== known) {
      const refusal = taken(service, index, asked, operation);
      if (refusal) return refusal;
    }
    ports.push({ ...port, nodePort });
  }
  return withPorts(service, ports);
}

function firstAsked(ports: readonly Loose[], number: number): number {
  return ports.find(({ port, nodePort }) => port === number && nodePort)?.nodePort ?? 0;
}

/** Of a changed Service: what it had it may keep. Source: upstream `updateNodePorts`. */
export function reallocateNodePorts(service: KubeObject, old: KubeObject, operation: PortOperation): KubeObject | Failure {
  const spec: Loose = service.spec;
  if (!isReachedAtNodes(spec)) return service;
  const held = new Set<number>(listOf(old.spec?.ports).map(({ nodePort }) => nodePort));
  const asked = new Set<number>();
  const seen = new Set<string>();
  const ports: Loose[] = [];
  for (const [index, port] of listOf(spec.ports).entries()) {
    let nodePort: number = port.nodePort || 0;
    if (nodePort === 0 && !givesNodePorts(spec)) {
      ports.push(port);
      continue;
    }
    if (nodePort === 0) {
      const found = given(operation);
      if (isFailure(found)) return found;
      nodePort = found;
    } else if (!held.has(nodePort) && !asked.has(nodePort)) {
      const refusal = taken(service, index, nodePort, operation);
      if (refusal) return refusal;
      asked.add(nodePort);
    }
    const shown = `{${port.protocol ?? ''} ${nodePort}}`;
    if (seen.has(shown)) return plainError(`duplicate nodePort: ${shown}`);
    seen.add(shown);
    ports.push({ ...port, nodePort });
  }
  return withPorts(service, ports);
}

/** A port under which nodes tell whether they have pods of the Service. */
export function allocateHealthCheckPort(service: KubeObject, operation: PortOperation): KubeObject | Failure {
  const spec: Loose = service.spec;
  if (!needsHealthCheckPort(spec)) return service;
  const asked: number = spec.healthCheckNodePort || 0;
  if (asked !== 0) {
    const why = operation.take(asked);
    return why === undefined ? service : internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
  }
  const found = operation.takeAny();
  if (!('port' in found)) return internalError(`failed to allocate a HealthCheck NodePort 0: ${found.why}`);
  return { ...service, spec: { ...spec, healthCheckNodePort: found.port } };
}
