import { goQuote } from '../../../status/go-value';
import { listOf, type Loose } from '../../../validation/values';

/** The same port of several containers, or twice of one: nothing says which of them is meant. */
export function warnAboutPorts(containers: readonly (readonly [Loose, string])[], warnings: string[]): void {
  const known = new Map<string, { port: Loose; at: string }[]>();
  for (const [container, field] of containers) {
    for (const [index, port] of listOf(container.ports).entries()) {
      const at = `${field}.ports[${index}]`;
      if (port.hostIP && !port.hostPort) warnings.push(`${at}: hostIP set without hostPort: ${portText(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const others = known.get(key) ?? [];
      known.set(key, others);
      for (const other of others) {
        const clash = clashOf(port, other.port);
        if (clash) warnings.push(`${at}: ${clash} port definition with ${other.at}`);
      }
      others.push({ port, at });
    }
  }
}

/** As Go prints the struct, names and all. */
function portText({ name = '', hostPort = 0, containerPort = 0, protocol = '', hostIP = '' }: Loose): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

/** The same name for ports of several containers: whoever looks for a port by it finds the first. */
export function warnAboutPortNames(containers: readonly (readonly [Loose, string])[], warnings: string[]): void {
  const known = new Map<string, string>();
  for (const [container, field] of containers) {
    for (const [index, { name }] of listOf(container.ports).entries()) {
      if (!name) continue;
      const at = `${field}.ports[${index}]`;
      const first = known.get(name);
      if (first === undefined) known.set(name, at);
      else {
        const found = `services and probes that select ports by name will use ${first}`;
        warnings.push(`${at}: duplicate port name ${goQuote(name)} with ${first}, ${found}`);
      }
    }
  }
}

function clashOf({ hostIP = '', hostPort = 0 }: Loose, { hostIP: otherIP = '', hostPort: otherPort = 0 }: Loose): string | undefined {
  if (hostIP === otherIP && hostPort === otherPort) return 'duplicate';
  if (hostPort === 0 || otherPort === 0) return 'overlapping';
  return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? 'dangerously ambiguous' : undefined;
}
