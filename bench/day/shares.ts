import { Session, type Profiler } from 'node:inspector/promises';

/** A part of the program, and which part of the processor's time went into it, in per cent. */
export interface Share {
  part: string;
  percent: number;
}

const sampleEveryUs = 1_000;

/** Runs the work under V8's profiler. What Node and V8 do for a part is that part's; garbage collection stands by itself. Largest share first. */
export async function sharesOf(work: () => Promise<void>): Promise<Share[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: sampleEveryUs });
  await session.post('Profiler.start');
  try {
    await work();
    const { profile } = await session.post('Profiler.stop');
    return shares(profile);
  } finally {
    session.disconnect();
  }
}

export function shares({ nodes, samples = [] }: Pick<Profiler.Profile, 'nodes' | 'samples'>): Share[] {
  const parts = partsOf(nodes);
  const counts = new Map<string, number>();
  let busy = 0;
  for (const sample of samples) {
    const part = parts.get(sample);
    if (part === undefined) continue;
    busy++;
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  const found = [...counts].map(([part, count]) => ({ part, percent: (count / busy) * 100 }));
  return found.sort((a, b) => b.percent - a.percent);
}

const idle: ReadonlySet<string> = new Set(['(idle)', '(root)']);

/** The part that each frame counts for, by the frame's number: its own, or its caller's. Of a frame in which nothing is done: none. */
function partsOf(nodes: readonly Profiler.ProfileNode[]): Map<number, string> {
  const parts = new Map<number, string>();
  const visit = (node: Profiler.ProfileNode, caller: string): void => {
    const { functionName, url } = node.callFrame;
    const part = functionName === '(garbage collector)' ? 'garbage collection' : (partIn(url) ?? caller);
    if (!idle.has(functionName)) parts.set(node.id, part);
    for (const child of node.children ?? []) visit(byId.get(child) as Profiler.ProfileNode, part);
  };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const [root] = nodes;
  if (root) visit(root, 'Node itself');
  return parts;
}

/** `libs/kubelet` of a file below it. */
function partIn(url: string): string | undefined {
  return /\/((?:libs|apps)\/[^/]+|bench)\//.exec(url)?.[1];
}
