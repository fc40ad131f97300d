import { goDuration } from '#libs/kernel';
import { execAnswers, type ExecAnswer } from '../../../behaviour';
import type { Probe } from '../../pod-types';
import {
  alwaysFinds,
  fails,
  finderOf,
  succeeds,
  timeoutMsOf,
  type ProbeFinder,
  type ProbeOutcome,
  type ProbeTarget,
} from './probe-outcome';

/** Bytes of a command's output that are told (upstream `maxReadLength`). */
const outputMax = 10 * 1_024;

/** Exit code 0 is a success. A command that neither an annotation nor the container's own program knows of succeeds. */
export function execProbe(probe: Probe, target: ProbeTarget): ProbeFinder {
  const command = probe.exec?.command ?? [];
  const answers = execAnswers(target.behaviour, command) ?? target.programAnswers(command);
  const timeoutMs = timeoutMsOf(probe);
  return answers ? finderOf(answers, (answer) => outcomeOf(answer, command, timeoutMs)) : alwaysFinds(succeeds);
}

function outcomeOf({ exitCode, takesMs, out = '', err = '' }: ExecAnswer, command: readonly string[], timeoutMs: number): ProbeOutcome {
  if (takesMs > timeoutMs)
    return fails(`command timed out: ${JSON.stringify(command.join(' '))} timed out after ${goDuration(timeoutMs)}`, timeoutMs);
  return exitCode === 0
    ? { ...succeeds, takesMs }
    : fails(
        Buffer.from(out + err)
          .subarray(0, outputMax)
          .toString('utf8'),
        takesMs,
      );
}
