import { quantityValue } from '#libs/kernel';
import { exceedsAt, runOf, type LogEntry, type RunBehaviour } from '../../behaviour';
import type { Container } from '../pod-types';
import type { ContainerRun } from './container-run';

/** How and when (ms) a run ends, or will. */
export interface RunEnd {
  at: number;
  exitCode: number;
  /** `Completed` or `Error`, by the code, where nothing is said. */
  reason?: string;
  message?: string;
  /** The kubelet has ended it in a sync: the next run may follow at once. */
  killed?: boolean;
  /** No other run follows, because of the pod's restart policy. */
  isLast?: boolean;
  /** Nothing else of the pod is to run: its sandbox goes with it. */
  endsPod?: boolean;
}

/** Exit code of a container that was killed. */
const killed = 137;

/** The end that a running container comes to without anybody's doing: its program's, or that for which its memory runs out; undefined: none. */
export function ownEndOf(run: ContainerRun): RunEnd | undefined {
  const [ofProgram, ofMemory] = [programEnd(run), memoryEnd(run)];
  return ofMemory && (!ofProgram || ofMemory.at < ofProgram.at) ? ofMemory : ofProgram;
}

/** It uses more memory than its limit, and the kernel kills it. A limit that was changed counts from then on. */
function memoryEnd({ behaviour, actual, startedAt, resizedAt = 0 }: ContainerRun): RunEnd | undefined {
  const limit = actual.limits?.memory;
  if (behaviour.memory.length === 0 || limit === undefined || startedAt === undefined) return undefined;
  const after = exceedsAt(behaviour.memory, quantityValue(limit), Math.max(0, resizedAt - startedAt));
  return after === undefined ? undefined : { at: startedAt + after, exitCode: killed, reason: 'OOMKilled' };
}

function programEnd(run: ContainerRun): RunEnd | undefined {
  const own = runOf(run.behaviour, run.restartCount);
  const { runForMs, oomKilled } = own;
  if (runForMs === undefined || run.startedAt === undefined) return undefined;
  const exitCode = oomKilled ? killed : own.exitCode;
  const message = terminationMessage(run.container, own, exitCode);
  return {
    at: run.startedAt + runForMs,
    exitCode,
    ...(oomKilled ? { reason: 'OOMKilled' } : {}),
    ...(message ? { message } : {}),
  };
}

/** Longest message from the file, and from the log: bytes, lines (upstream `MaxContainerTerminationMessageLength` and those for logs). */
const fileMaxBytes = 4_096;
const logMaxBytes = 2_048;
const logMaxLines = 80;

/** What a run has left in its file; with FallbackToLogsOnError the end of its log where that is nothing and it has failed. */
function terminationMessage({ terminationMessagePolicy }: Container, own: RunBehaviour, exitCode: number): string {
  const left = lastBytes(own.message ?? '', fileMaxBytes);
  if (left !== '' || terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return left;
  const lines = linesUntil(own.log ?? [], own.runForMs ?? 0);
  return lastBytes(lines.slice(-logMaxLines).join(''), logMaxBytes);
}

function linesUntil(log: readonly LogEntry[], endMs: number): string[] {
  const lines: [atMs: number, text: string][] = [];
  for (const { atMs, everyMs, atEnd, text } of log) {
    const each = text.split('\n').map((line) => `${line}\n`);
    const add = (at: number): unknown => lines.push(...each.map((line): [number, string] => [at, line]));
    if (atEnd) add(endMs);
    else if (everyMs === undefined) {
      if (atMs <= endMs) add(atMs);
    } else {
      const last = Math.floor((endMs - atMs) / everyMs);
      for (let turn = Math.max(0, last - logMaxLines); turn <= last; turn++) add(atMs + turn * everyMs);
    }
  }
  return lines.sort(([a], [b]) => a - b).map(([, line]) => line);
}

function lastBytes(text: string, max: number): string {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length <= max ? text : bytes.toString('utf8', bytes.length - max);
}
