import { leaseMs, type Holder, type LeadChange } from '#libs/control-loop';

/** Changes within so short a time are told together, ms: instances look once a second whether a lease is over. */
const togetherMs = 1_100;

/** Prints who leads: one line for all apps of a process that change together. What a process takes that nobody had is not worth a line. */
export function tellLeads(say: (line: string) => void): (change: LeadChange) => void {
  let pending: LeadChange[] = [];
  const tell = (): void => {
    const lines = new Map<string, string[]>();
    for (const change of pending) {
      const key = lineOf(change);
      if (key) lines.set(key, [...(lines.get(key) ?? []), change.app]);
    }
    pending = [];
    for (const [line, apps] of lines) say(line.replace('APPS', apps.join(', ')));
  };
  return (change) => {
    if (pending.length === 0) setTimeout(tell, togetherMs).unref();
    pending.push(change);
  };
}

function lineOf(change: LeadChange): string | undefined {
  switch (change.kind) {
    case 'stands by':
      return `standing by: ${nameOf(change.leader)} leads APPS; what they do is done there, and here when it ends`;
    case 'gained':
      return change.after && `leads APPS from now on: ${nameOf(change.after)} ${ends[change.because]}`;
    case 'lost':
      return `leads APPS no more: ${change.to ? `${nameOf(change.to)} does` : 'the lead was given back'}`;
  }
}

const ends = { free: 'has stopped', dead: 'has ended', silent: `has not been heard of for ${leaseMs / 1_000} s` };

/** The process that a user would look for. */
function nameOf({ host, pid }: Holder): string {
  return `process ${pid} on ${host}`;
}
