import { nominations, podStates, transitions, type PodState } from './pod-states';

const link = ([file, name]: readonly [string, string]): string => {
  const path = file.includes('/') ? `../scheduling/src/${file}` : `src/${file}`;
  return `[${name}](${path})`;
};
const words = (states: readonly PodState[]): string => states.join(', ');

/** The tables of README.md, from the data. */
export function renderedPodStates(): string {
  return [
    '| State | In kube-scheduler | The pod |',
    '| --- | --- | --- |',
    ...Object.entries(podStates).map(([state, { upstream, meaning }]) => `| ${state} | ${upstream} | ${meaning} |`),
    '',
    '| From | To | When | In | By |',
    '| --- | --- | --- | --- | --- |',
    ...transitions.map(
      ({ from, to, when, in: moments, by }) => `| ${words(from)} | ${words(to)} | ${when} | ${moments.join(', ')} | ${link(by)} |`,
    ),
    '',
    '| A nomination is | By |',
    '| --- | --- |',
    ...nominations.map(({ when, by }) => `| ${when} | ${link(by)} |`),
  ].join('\n');
}
