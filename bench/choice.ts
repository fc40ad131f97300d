/** What a command line asks to be measured. */
export interface Choice {
  groups: readonly string[];
  /** With a fifth of the load. */
  quick: boolean;
  /** The figures become the baseline. */
  save: boolean;
}

const flags = ['--quick', '--save'];

/**
 * @param groups names of all there are
 * @param onRequest those of them that take long: measured only when they are named
 * @returns the usage alone for `--help`; the usage after what is wrong for a word that is no group and no flag
 */
export function choiceOf(
  args: readonly string[],
  groups: readonly string[],
  onRequest: ReadonlySet<string>,
): Choice | { usage: string; mistake: boolean } {
  const usage = `npm run bench -- [--quick] [--save] [GROUP …]
Groups: ${groups.map((name) => (onRequest.has(name) ? `${name} (only when named)` : name)).join(', ')}`;
  if (args.includes('--help')) return { usage, mistake: false };
  const unknown = args.find((word) => !groups.includes(word) && !flags.includes(word));
  if (unknown !== undefined) return { usage: `"${unknown}" is no group and no flag\n${usage}`, mistake: true };
  const named = groups.filter((name) => args.includes(name));
  return {
    groups: named.length > 0 ? named : groups.filter((name) => !onRequest.has(name)),
    quick: args.includes('--quick'),
    save: args.includes('--save'),
  };
}
