// What the comparison of transcripts lets pass (kubectl sessions, stories, requests on the wire), beside left-open.ts. Each entry is
// argued in exceptions.ts.
import type { Header } from '../recording';

/** Which build answered: its commit, and when it was built. The recorded sessions and stories were answered by two builds themselves. */
export const withoutBuild = (text: string): string => text.replace(/"(gitCommit|buildDate)": "[^"]*"/g, '"$1": "-"');

/** "In transcripts fold runs of blanks: replaced names change column widths." */
export const foldBlanks = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trimEnd())
    .join('\n');

/** "Progress lines of `rollout status`, `drain` depend on timing": their number and order. */
export function isProgressLine(command: string, line: string): boolean {
  if (/\brollout status\b/.test(command)) return line.startsWith('Waiting for ');
  if (/\bdrain\b/.test(command)) return /^(evicting pod |error when evicting pods\/|pod\/\S+ evicted$)/.test(line);
  return false;
}

/**
 * "a stand-in kubelet marked bound pods ready … about every 0.4 s, pods may thus be counted differently by a step in flight", and
 * "`describe` of things still moving, READY columns of pods a second old": what only reads is asked again until it shows what was
 * recorded, for a few seconds.
 */
export const canBeInFlight = (header: Header, command: string): boolean =>
  /stand-in kubelet|kwok/.test(header.runs) &&
  /^kubectl( -n \S+)? (get|describe|events)\b(?!.* (-w|--watch|--output-watch-events)\b)/.test(command);

/**
 * "nodes chosen by the scheduler": the nodes of the stories are alike, so one of them in an output stands for any of them, unless the
 * command is about nodes.
 */
export const chosenNode = (header: Header, command: string, text: string): string =>
  header.runs.includes('kwok') && !/\bnodes?\b|node-\d/.test(command) ? text.replace(/\bnode-[0-2]\b/g, 'node-*') : text;

/**
 * Names of pods that were refused, in the Events of whoever wanted them: kubectl orders Events of the same second as it comes, so which of the
 * names stands where is chance.
 */
export const withoutRefusedNames = (text: string): string =>
  text.replace(/(Error creating: pods "[^"]*?-)(?:<rand:\d+>|[bcdfghjklmnpqrstvwxz2456789]{5})(" is forbidden)/g, '$1*$2');

/**
 * "Depends on time": kubectl refuses a second restart within one second. A command that another one so refused follows begins with a
 * second of the clock.
 */
export const secondMatters = (command: string, following: readonly { stderr?: string }[]): boolean =>
  /\brollout restart\b/.test(command) && following.some(isRefusedWithinSecond);

const isRefusedWithinSecond = ({ stderr }: { stderr?: string }): boolean => stderr?.includes('within the past second') === true;

/** On a machine that is too slow for both commands within a second the second one is rightly not refused. `second`: that of the first. */
export const missesSecond = (step: { stderr?: string }, exit: number, second: number | undefined, now: number): boolean =>
  isRefusedWithinSecond(step) && exit === 0 && second !== undefined && Math.floor(now / 1000) !== second;

/**
 * Descriptions of fields are prose of upstream's own that is not carried over: of `kubectl explain` the fields in their order, with types,
 * marks and enumerations, the headings and errors are compared, what stands below them is not.
 */
export const isExplanation = (command: string): boolean => /^kubectl( -n \S+)? explain\b/.test(command);
const explainedField = /^ +\S+\t<[^>]*>( -required-)?$/;
export function withoutDescriptions(text: string): string {
  let heading = '';
  const lines = text.split('\n').filter((line) => {
    if (/^\S/.test(line)) heading = line;
    return line !== '' && (!line.startsWith(' ') || explainedField.test(line) || /^ +enum: /.test(line) || heading === 'ENUM:');
  });
  return `${lines.join('\n')}\n`;
}
/** `explain … | head -40`: how many lines are left when descriptions are not counted differs with their length. */
export const cutsItsOutput = (command: string): boolean => / \| head -\d+$/.test(command);

/** The publisher of the root certificate makes its ConfigMap anew, before or after kubectl looks whether it is gone. */
export const isRemadeAtOnce = (method: string, url: string): boolean => method === 'GET' && url.endsWith('/configmaps/kube-root-ca.crt');

/**
 * "`describe` of things still moving": how many pods of a rollout are ready. The stand-in gave all pods one address, so a Service shows it
 * as often as there are ready pods.
 */
export const withAddressOnce = (header: Header, text: string): string =>
  header.runs.includes('stand-in kubelet') ? text.replace(/(10\.1\.0\.5:\d+)(?:,\1)+(?: \+ \d+ more\.\.\.)?/g, '$1') : text;

export { withManagersInOrder } from './managers';
