import { hostPort } from '#libs/kernel';
import { tcpAnswers, type ContainerBehaviour } from '../../../behaviour';
import type { Probe } from '../../pod-types';
import { containerPort } from './container-port';
import { alwaysFinds, cannotBeMade, fails, finderOf, found, succeeds, type ProbeFinder, type ProbeTarget } from './probe-outcome';

/** A connection that comes about is a success. */
export function tcpProbe(probe: Probe, { container, behaviour, podIP }: ProbeTarget): ProbeFinder {
  const { port: asked = 0, host } = probe.tcpSocket ?? {};
  const port = containerPort(asked, container);
  if (typeof port !== 'number') return alwaysFinds(cannotBeMade(port.error));
  const refused = fails(connectionRefused(host || podIP, port));
  return whereOpen(behaviour, port, refused, () => found(succeeds));
}

export function connectionRefused(host: string, port: number): string {
  return `dial tcp ${hostPort(host, port)}: connect: connection refused`;
}

/** Asks where the port is open; refused where it is not. */
export function whereOpen(behaviour: ContainerBehaviour, port: number, refused: ReturnType<typeof fails>, ask: ProbeFinder): ProbeFinder {
  const listens = tcpAnswers(behaviour, port);
  if (!listens) return ask;
  const opens = finderOf(listens, ({ open }) => (open ? succeeds : refused));
  return (since) => {
    const connection = opens(since);
    if (connection.result !== 'success') return connection;
    const answer = ask(since);
    return { ...answer, untilMs: Math.min(answer.untilMs, connection.untilMs) };
  };
}
