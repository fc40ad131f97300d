// The text of docs/fidelity.md from the results of the players; no dates, no machine, the same results give the same text.
import { table } from './generated-page.mjs';

const share = (agreed, compared) =>
  compared === 0 ? '–' : agreed === compared ? '100 %' : `${(Math.floor((agreed / compared) * 10_000) / 100).toFixed(2)} %`;
const counts = (agreed, compared) => `${agreed} / ${compared}`;
const sum = (list, value) => list.reduce((total, item) => total + value(item), 0);

/** What each aspect of a scheduling decision is. */
const aspectMeanings = {
  preFilter: 'what PreFilter plugins said, and the nodes they left',
  filter: 'each node: passed, or the plugin that refused it first, and whether preemption may help',
  reasons: 'the reasons of each refusal, word for word and in order',
  scores: 'each plugin’s weighted score for each node, and the totals',
  best: 'the set of best nodes',
  message: 'the text of the FailedScheduling condition',
  preemption: 'eligibility, candidates, victims in order, budget violations, the choice and the criterion that made it',
  sequence: 'which pod is tried when, from which queue, and what comes of it',
  requeue: 'which waiting pods a change of the cluster brings back',
};

/** `files`: of `schedulerAgreement`. */
export function schedulerPart(release, files) {
  const aspects = Object.keys(aspectMeanings).filter((aspect) => files.some((file) => file.aspects.some(([name]) => name === aspect)));
  const cell = (file, aspect) => {
    const found = file.aspects.find(([name]) => name === aspect)?.[1];
    return found === undefined ? '' : found.agreed === found.compared ? String(found.compared) : counts(found.agreed, found.compared);
  };
  const rows = files.map((file) => [
    file.file.replace('.jsonl', ''),
    counts(file.passed, file.passed + file.failed),
    ...aspects.map((aspect) => cell(file, aspect)),
  ]);
  const total = (aspect) => {
    const found = files.flatMap((file) => file.aspects.filter(([name]) => name === aspect).map(([, agreement]) => agreement));
    return [sum(found, ({ agreed }) => agreed), sum(found, ({ compared }) => compared)];
  };
  const passed = sum(files, (file) => file.passed);
  const all = passed + sum(files, (file) => file.failed);
  return [
    `**${release}: ${passed} of ${all} recorded scenarios agree in everything (${share(passed, all)}).**`,
    '',
    table(
      ['Aspect', 'What is compared', 'Agreement', 'Comparisons that agree'],
      aspects.map((aspect) => [aspect, aspectMeanings[aspect], share(...total(aspect)), counts(...total(aspect))]),
    ),
    '',
    'By file; a single number is the number of comparisons, all of which agree.',
    '',
    table(['File', 'Scenarios', ...aspects], rows),
  ].join('\n');
}

/** `result`: of `playThroughTheCluster`. */
export function inClusterPart(release, { files, left, verified }) {
  const list = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const agreed = sum(list, ([, file]) => file.agreed);
  const played = sum(list, ([, file]) => file.played);
  return [
    `**${release}: ${agreed} of ${played} scenarios applied to a cluster are decided as recorded.** ` +
      `Their logs hold ${verified.agreed + verified.differ + verified.notDerivable} decisions. Controllers that are run again on these logs make ${verified.agreed} of them as recorded and ${verified.differ} otherwise; ${verified.notDerivable} are not derivable.`,
    '',
    table(
      ['File', 'Scenarios'],
      list.map(([file, count]) => [file.replace('.jsonl', ''), counts(count.agreed, count.played)]),
    ),
    '',
    'The sample is even over the files, and the same each time. It is taken from the scenarios that can be put into a cluster; left out of all recorded ones are',
    '',
    table(
      ['Why', 'Scenarios'],
      [...left].sort(([a], [b]) => (a < b ? -1 : 1)).map(([reason, number]) => [reason, String(number)]),
    ),
  ].join('\n');
}

/** `incidents`: name, and the decisions of `decideAgain`. */
export function incidentDecisionsPart(release, incidents) {
  const agree = (decisions) => decisions.filter(({ agreesAtMs }) => agreesAtMs !== undefined).length;
  const total = sum(incidents, ({ decisions }) => decisions.length);
  const agreed = sum(incidents, ({ decisions }) => agree(decisions));
  const late = sum(incidents, ({ decisions }) => decisions.filter(({ agreesAtMs }) => agreesAtMs > 0).length);
  const differing = incidents.flatMap(({ name, decisions }) =>
    decisions.filter(({ agreesAtMs }) => agreesAtMs === undefined).map((decision) => ({ name, ...decision })),
  );
  const lines = [
    `**${release}: ${agreed} of ${total} recorded preemptions are decided again, on the recorded node with the recorded victims.** ` +
      `${late} of them agree on the state a few milliseconds earlier only: what changed in between came too late for the attempt.`,
    '',
    table(
      ['Incident', 'Preemptions'],
      incidents.map(({ name, decisions }) => [name, counts(agree(decisions), decisions.length)]),
    ),
  ];
  if (differing.length > 0) {
    lines.push('', 'What differs:', '');
    for (const { name, preemption, difference } of differing)
      lines.push(`- ${name}, ${preemption.preemptor} on ${preemption.node}: ${difference}`);
  }
  return lines.join('\n');
}

/** `areas`: of `eventStoreAgreement`; `exceptions`: what each name of a difference that may stand means. */
export function eventStorePart(release, areas, exceptions) {
  const passed = sum(areas, (area) => area.passed);
  const sequences = sum(areas, (area) => area.sequences);
  const named = Object.keys(exceptions).filter((name) => areas.some((area) => area.exceptions[name]));
  const apart = (area) => sum(named, (name) => area.exceptions[name] ?? 0);
  const steps = sum(areas, (area) => area.steps);
  return [
    `**${release}: ${passed} of ${sequences} recorded sequences agree (${share(passed, sequences)}), of ${steps} calls and looks at open ones ${sum(areas, (area) => area.agreed)} in everything; ${sum(areas, apart)} are exceptions, named below.**`,
    '',
    table(
      ['Area', 'Sequences', 'Steps that agree', ...named],
      areas.map((area) => [
        area.area,
        counts(area.passed, area.sequences),
        counts(area.agreed, area.steps - apart(area)),
        ...named.map((name) => String(area.exceptions[name] ?? '')),
      ]),
    ),
    '',
    ...named.map((name) => `- *${name}*: ${exceptions[name]}.`),
  ].join('\n');
}

/** `sessions`: results of steps, as the players of `api` and `incident` give them. */
export function sessionsPart(release, sessions, { what, unit }) {
  const passed = ({ steps }) => steps.filter(({ differences }) => differences.length === 0).length;
  const played = sessions.filter(({ skipped }) => skipped === undefined);
  const agreed = sum(played, passed);
  const total = sum(played, (session) => session.total);
  const rows = played.map((session) => [session.session, counts(passed(session), session.total)]);
  const lines = [`**${release}: ${agreed} of ${total} ${unit} agree (${share(agreed, total)}), in ${played.length} ${what}.**`];
  const skipped = sessions.length - played.length;
  if (skipped > 0) lines.push('', `${skipped} more were skipped, as a tool they need was absent.`);
  const waiting = waitingSteps(played);
  if (waiting.size > 0) {
    const told = [...waiting].map(([reason, count]) => `${count} for ${reason}`).join(', ');
    lines.push('', `Of the others ${sum([...waiting.values()], (count) => count)} wait for what is not built yet: ${told}.`);
  }
  const differing = played.filter((session) => passed(session) < session.total);
  if (differing.length > 0)
    lines.push(
      '',
      table(
        ['With differences', unit[0].toUpperCase() + unit.slice(1)],
        differing.map((session) => [session.session, counts(passed(session), session.total)]),
      ),
    );
  const whole = rows.filter((_, index) => !differing.includes(played[index]));
  if (whole.length > 0)
    lines.push('', `Without a difference: ${whole.map(([name, count]) => `${name} (${count.split(' ')[0]})`).join(', ')}.`);
  return lines.join('\n');
}

/** How many steps wait, by what they wait for. */
function waitingSteps(sessions) {
  const counts = new Map();
  for (const { waitsFor } of sessions.flatMap(({ steps }) => steps))
    if (waitsFor !== undefined) counts.set(waitsFor, (counts.get(waitsFor) ?? 0) + 1);
  return counts;
}

/** What a comparison lets pass, and why. */
export function exceptionsPart(exceptions) {
  return table(
    ['Not compared', 'Why'],
    exceptions.map(({ what, why }) => [what, why]),
  );
}

/** Recordings that are played kind by kind; each by what it holds and its results. */
export function kindsPart(release, recordings) {
  const passed = ({ steps }) => steps.filter(({ differences }) => differences.length === 0).length;
  const rows = recordings.map(({ what, results }) => {
    const played = results.filter(({ skipped }) => skipped === undefined);
    const [agreed, total] = [sum(played, passed), sum(played, (session) => session.total)];
    const otherwise = played.filter((session) => passed(session) < session.total);
    const told = otherwise.map((session) => `${session.session} ${session.total - passed(session)}`).join(', ');
    return [what, String(played.length), counts(agreed, total), share(agreed, total), told];
  });
  return [`**${release}**`, '', table(['Recorded', 'Files or kinds', 'Steps that agree', 'Share', 'Otherwise'], rows)].join('\n');
}
