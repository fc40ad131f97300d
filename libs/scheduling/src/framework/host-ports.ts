import type { RawPodSpec } from './kube-types';

/** A port of the node that a container asks for. The address 0.0.0.0 means all of them. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
  readonly key: string;
}

const noPorts: readonly HostPort[] = [];
const wildcard = '0.0.0.0';

/** Host ports of containers and sidecars (init containers that keep running); plain init containers do not hold theirs. */
export function hostPortsOf(spec: RawPodSpec): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  for (const [containers, isInit] of [
    [spec.containers, false],
    [spec.initContainers, true],
  ] as const) {
    for (const container of containers ?? []) {
      if (isInit && container.restartPolicy !== 'Always') continue;
      for (const { hostIP, hostPort, protocol } of container.ports ?? []) {
        if (hostPort !== undefined && hostPort > 0) (ports ??= []).push(makePort(hostIP || wildcard, protocol || 'TCP', hostPort));
      }
    }
  }
  return ports ?? noPorts;
}

function makePort(ip: string, protocol: string, port: number): HostPort {
  return { ip, protocol, port, key: `${ip}/${protocol}/${port}` };
}

/** Two ports clash when protocol and number are equal and the addresses are, or either is the wildcard. */
function clash(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === wildcard || b.ip === wildcard);
}

/** Whether a wanted port is held already: same protocol and number, same address or the wildcard. */
export function portsClash(wanted: readonly HostPort[], used: Iterable<HostPort>): boolean {
  for (const held of used) for (const want of wanted) if (clash(want, held)) return true;
  return false;
}
