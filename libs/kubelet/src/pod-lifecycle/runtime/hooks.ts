import type { KubeObject } from '#libs/kernel';
import { answerAt, execAnswers, httpAnswers, tcpAnswers } from '../../behaviour';
import { specOf, type LifecycleHandler } from '../pod-types';
import { podInFull } from './back-off';
import { commandAnswer } from './command-answer';
import type { ContainerRun } from './container-run';
import { containerPort } from './probes/container-port';

/** What comes of a hook: how long it takes, ms, and, if it fails, how the kubelet puts it. */
export interface HookOutcome {
  takesMs: number;
  failure?: string;
}

/** When a hook begins, ms, and the address of a pod that has not shown it yet. */
interface HookMoment {
  startedAt: number;
  at: number;
  podIP?: string;
}

/** A hook that begins at a moment (ms) of a run that began at `startedAt`; undefined: there is none. (Upstream `lifecycle/handlers.go`.) */
export function hookOutcome(
  handler: LifecycleHandler | undefined,
  run: ContainerRun,
  pod: KubeObject,
  { startedAt, at, podIP = '' }: HookMoment,
): HookOutcome | undefined {
  if (!handler) return undefined;
  if (handler.exec) return ofCommand(handler.exec.command ?? [], run, pod, { startedAt, at });
  if (handler.httpGet) return ofRequest(handler.httpGet, run, pod, { sinceStartMs: at - startedAt, podIP });
  if (handler.sleep) return { takesMs: (handler.sleep.seconds ?? 0) * 1000 };
  return { takesMs: 0, failure: 'Cannot run handler: invalid handler' };
}

/** As annotations say, else as the program that it is does; what neither tells, it does at once and well. */
function ofCommand(command: readonly string[], run: ContainerRun, pod: KubeObject, when: { startedAt: number; at: number }): HookOutcome {
  const answers = execAnswers(run.behaviour, command);
  const answer = answers ? answerAt(answers, when.at - when.startedAt) : commandAnswer(pod, run.container, command, when);
  if (!answer) return { takesMs: 0 };
  const { exitCode, takesMs, out = '', err = '' } = answer;
  if (exitCode === 0) return { takesMs };
  const output = out + err;
  const error = `command '${command.join(' ')}' exited with ${exitCode}: ${err}`;
  const failure = `Exec lifecycle hook ([${command.join(' ')}]) for ${inFull(run, pod)} failed - error: ${error}, message: ${JSON.stringify(output)}`;
  return { takesMs, failure };
}

/** Any answer will do, whatever its code. */
function ofRequest(
  { path = '', port, scheme = 'HTTP', host }: NonNullable<LifecycleHandler['httpGet']>,
  run: ContainerRun,
  pod: KubeObject,
  { sinceStartMs, podIP }: { sinceStartMs: number; podIP: string },
): HookOutcome {
  const number = containerPort(port ?? 0, run.container);
  const failed = (error: string): HookOutcome => ({
    takesMs: 0,
    failure: `HTTP lifecycle hook (${path}) for ${inFull(run, pod)} failed - error: ${error}`,
  });
  if (typeof number !== 'number') return failed(number.error);
  const asked = path.startsWith('/') ? path : `/${path}`;
  const open = tcpAnswers(run.behaviour, number);
  if (open && !answerAt(open, sinceStartMs).open) {
    const address = `${host || run.ground.podIP() || podIP}:${number}`;
    return failed(
      `Get "${scheme.toLowerCase()}://${address}${path === '' ? '' : asked}": dial tcp ${address}: connect: connection refused`,
    );
  }
  const answers = httpAnswers(run.behaviour, number, asked);
  return { takesMs: answers ? answerAt(answers, sinceStartMs).takesMs : 0 };
}

function inFull({ container }: ContainerRun, pod: KubeObject): string {
  return `Container "${container.name}" in Pod "${podInFull(pod.metadata)}"`;
}

/** Grace of a container that nothing else gives one, seconds. */
export function ownGraceSeconds(pod: KubeObject): number {
  return pod.metadata.deletionGracePeriodSeconds ?? specOf(pod).terminationGracePeriodSeconds ?? 30;
}
