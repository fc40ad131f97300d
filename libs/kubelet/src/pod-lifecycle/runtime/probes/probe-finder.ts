import type { ProbeKind } from '../../../behaviour';
import type { Probe } from '../../pod-types';
import { execProbe } from './exec-probe';
import { grpcProbe } from './grpc-probe';
import { httpProbe } from './http-probe';
import {
  alwaysFinds,
  cannotBeMade,
  fails,
  finderOf,
  succeeds,
  type ProbeFinder,
  type ProbeOutcome,
  type ProbeTarget,
} from './probe-outcome';
import { connectionRefused, tcpProbe } from './tcp-probe';
import { containerPort } from './container-port';

/** What the rounds of a probe find. What is said of the container's health goes before what is said of its answers. */
export function finderFor(probe: Probe, kind: ProbeKind, target: ProbeTarget): ProbeFinder {
  const health = target.behaviour.health[kind];
  if (health) return finderOf(health, ({ ok }) => (ok ? succeeds : sick(probe, target)));
  if (probe.exec) return execProbe(probe, target);
  if (probe.httpGet) return httpProbe(probe, target);
  if (probe.tcpSocket) return tcpProbe(probe, target);
  return probe.grpc ? grpcProbe(probe, target) : alwaysFinds(cannotBeMade('missing probe handler'));
}

/** How a container that is not well answers to a probe of this kind. */
function sick({ httpGet, tcpSocket, grpc }: Probe, { container, podIP }: ProbeTarget): ProbeOutcome {
  if (httpGet) return fails('HTTP probe failed with statuscode: 503');
  if (grpc) return fails('service unhealthy (responded with "NOT_SERVING")');
  const port = tcpSocket && containerPort(tcpSocket.port, container);
  return fails(typeof port === 'number' ? connectionRefused(tcpSocket?.host || podIP, port) : '');
}
