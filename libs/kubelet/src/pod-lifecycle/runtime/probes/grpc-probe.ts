import { goDuration, hostPort } from '#libs/kernel';
import { grpcAnswers, type GrpcAnswer } from '../../../behaviour';
import type { Probe } from '../../pod-types';
import { fails, finderOf, found, succeeds, timeoutMsOf, type ProbeFinder, type ProbeOutcome, type ProbeTarget } from './probe-outcome';
import { whereOpen } from './tcp-probe';

/** The health service has to answer SERVING. A connection that does not come about is tried for as long as the round may take. */
export function grpcProbe(probe: Probe, { behaviour, podIP }: ProbeTarget): ProbeFinder {
  const { port = 0, service = '' } = probe.grpc ?? {};
  const timeoutMs = timeoutMsOf(probe);
  const within = goDuration(timeoutMs);
  const refused = fails(
    `timeout: failed to connect service ${JSON.stringify(hostPort(podIP, port))} within ${within}: context deadline exceeded`,
    timeoutMs,
  );
  const answers = grpcAnswers(behaviour, port, service);
  const ask = answers ? finderOf(answers, (answer) => outcomeOf(answer, timeoutMs)) : () => found(succeeds);
  return whereOpen(behaviour, port, refused, ask);
}

function outcomeOf({ status, takesMs }: GrpcAnswer, timeoutMs: number): ProbeOutcome {
  if (takesMs > timeoutMs) return fails(`timeout: health rpc did not complete within ${goDuration(timeoutMs)}`, timeoutMs);
  if (status === 'SERVING') return { ...succeeds, takesMs };
  // A server knows no such status for a service that it does not have: it refuses to answer.
  if (status === 'SERVICE_UNKNOWN')
    return fails('error: health rpc probe failed: rpc error: code = NotFound desc = unknown service', takesMs);
  return fails(`service unhealthy (responded with ${JSON.stringify(status)})`, takesMs);
}
