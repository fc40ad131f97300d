import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Holder } from '#libs/control-loop';

/** How this process names itself when it takes a lead. @param name unique for each start */
export function thisInstance(name: string): Holder {
  return { name, host: hostname(), pid: process.pid, machine: machine() };
}

/** Whether the process ran on this machine and is gone. */
export function isDeadHere({ pid, machine: theirs, name }: Holder, self: Holder): boolean {
  if (theirs !== self.machine || name === self.name) return false;
  // Its number is ours by now.
  if (pid === self.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Who share it see one another's process numbers: the same host, started once, and (in containers) the same space of numbers. */
function machine(): string {
  const parts = [
    hostname(),
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    read(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 16);
}

/** What another operating system does not tell is left out. */
function read(attempt: () => string): string {
  try {
    return attempt().trim();
  } catch {
    return '';
  }
}
