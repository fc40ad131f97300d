import { resolve } from 'node:path';
import { renderWhy, renderWhyNot, why, whyNot, type WhyReport } from '#libs/audit';
import { CliError } from '../cli-error';
import type { WhyFlags } from './why-flags';
import { parseObjectName } from '../log/object-name';
import { openClusterLog } from '../log/open-cluster-log';
import { controllerFactory } from '../up/controllers';
import { attemptExplainers } from './explainers';

export async function tellWhy(text: string, flags: WhyFlags): Promise<void> {
  const object = await parseObjectName(text, flags.namespace);
  if (!['text', 'json', 'yaml'].includes(flags.output)) throw new CliError(`-o: "${flags.output}" is not known`, 'text, json or yaml', 2);
  if (flags.not !== undefined && object.resource !== 'pods')
    throw new CliError('--not asks about a pod', 'e.g. kubereel why pod/web-0 --not node-2', 2);
  if (flags.every && flags.not === undefined)
    throw new CliError('--every goes with --not NODE', 'e.g. kubereel why pod/web-0 --not node-2 --every', 2);
  const { log, cluster, seed, place } = await openClusterLog(flags);
  try {
    const controllers = await controllerFactory({ schedulerPlugins: flags.schedulerPlugins?.map((file) => resolve(file)) });
    const report = await why({ log, cluster, seed, object, controllers, explainers: await attemptExplainers() });
    if (!report)
      throw new CliError(
        `the log of ${place} knows no ${text}`,
        `See what it knows: kubereel log${flags.data ? ` --data ${flags.data}` : ''}`,
      );
    const { told, data } =
      flags.not === undefined ? { told: () => renderWhy(report), data: report } : answerNot(report, text, flags.not, flags.every === true);
    if (flags.output === 'text') process.stdout.write(told());
    else if (flags.output === 'json') process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
    else process.stdout.write((await import('yaml')).stringify(data));
  } finally {
    await log.close();
  }
}

/** @throws CliError when no attempt of the pod knew the node. */
function answerNot(report: WhyReport, text: string, node: string, every: boolean): { told: () => string; data: object } {
  const answer = whyNot(report, node);
  if (!answer) {
    const known = [...new Set(report.moments.flatMap(({ attempt }) => attempt?.nodes.map((verdict) => verdict.node) ?? []))].sort();
    const hint =
      known.length === 0
        ? `See its story: kubereel why ${text}`
        : `Nodes there were: ${known.slice(0, nodesListedMax).join(', ')}${known.length > nodesListedMax ? ', …' : ''}`;
    throw new CliError(`no attempt to schedule ${text} knew a node ${node}`, hint);
  }
  const shown = every ? answer : { ...answer, attempts: answer.attempts.slice(-1) };
  return { told: () => renderWhyNot(answer, every ? 'every' : 'last'), data: shown };
}

const nodesListedMax = 12;
