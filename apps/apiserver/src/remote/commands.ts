import { objectKey, type KubeObject } from '#libs/kernel';
import { isReading, startProgram, surroundingsOf } from '#libs/kubelet';
import { success } from '../http/remote/bare-status';
import type { CommandOptions, CommandStreams } from '../http/remote/service';
import { statusOf } from '../logs/containers';
import type { ResourceFeed } from '../serving/resource-feed';
import { CommandSession } from './command-session';

interface Container {
  name: string;
  command?: string[];
  args?: string[];
  tty?: boolean;
}

function specOf({ spec }: KubeObject, name: string): Container {
  const { containers, initContainers, ephemeralContainers } = (spec ?? {}) as Record<string, Container[] | undefined>;
  const all = [containers, initContainers, ephemeralContainers].flatMap((list) => list ?? []);
  return all.find((container) => container.name === name) ?? { name };
}

/** Runs a command in a simulated container. */
export function execIn(
  pod: KubeObject,
  container: string,
  command: readonly string[],
  options: CommandOptions,
  streams: CommandStreams,
): void {
  const program = startProgram(command, surroundingsOf(pod, specOf(pod, container), options.tty));
  new CommandSession(program, command, streams, options).begin();
}

/**
 * Attaches to what runs in a container. A program that reads its input (`sh`, `cat`) is talked to; of any other one the lines that it
 * writes are shown, and then it is waited for.
 */
export function attachTo(
  pod: KubeObject,
  container: string,
  options: CommandOptions,
  streams: CommandStreams,
  { log, feed }: { log: string; feed: ResourceFeed | undefined },
): void {
  const spec = specOf(pod, container);
  const command = [...(spec.command ?? []), ...(spec.args ?? [])];
  // Whether it is behind a terminal was settled when it was started.
  const own = { ...options, tty: spec.tty ?? false };
  const program = options.stdin && command.length > 0 ? startProgram(command, surroundingsOf(pod, spec, own.tty)) : undefined;
  if (program && isReading(program)) {
    new CommandSession(program, command, streams, own).begin();
    return;
  }
  if (log !== '') streams.write('stdout', Buffer.from(own.tty ? log.replace(/\n/g, '\r\n') : log));
  const key = objectKey(pod.metadata.namespace, pod.metadata.name);
  const stop = feed?.listen((changes) => {
    const last = changes.findLast((change) => change.key === key);
    if (last && (last.type === 'DELETED' || !statusOf(last.object, container)?.state?.running)) streams.end(success);
  });
  if (stop) streams.onClosed(stop);
  else streams.end(success);
}
