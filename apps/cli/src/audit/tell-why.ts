import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { renderWhy, renderWhyNot, why, whyNot, type WhyReport } from '#libs/audit';
import { CliError } from '../cli-error';
import type { WhyFlags } from './why-flags';
import { findObject, unknownObject } from '../log/find-object';
import { parseObjectName, type ObjectName } from '../log/object-name';
import { painter } from '../terminal/colour';
import { paintStory } from './paint-story';
import { demandWhole, openClusterLog, type ClusterLog } from '../log/open-cluster-log';
import { controllerFactory } from '../up/controllers';
import { attemptExplainers } from './explainers';

/**
 * `kubereel why`.
 * @param text the object as the user wrote it: `pod/web-0`, `web-0`
 * @throws CliError when there is no such log, kind or object
 */
export async function tellWhy(text: string, flags: WhyFlags): Promise<void> {
  // As for the apps: the heap grows in smaller steps. A V8 that does not know the flag ignores it.
  setFlagsFromString('--heap-growing-percent=40');
  // Mistakes are told before the log is looked for.
  if (text.includes('/')) checkNot(await parseObjectName(text, flags.namespace), flags);
  if (!['text', 'json', 'yaml'].includes(flags.output)) throw new CliError(`-o: "${flags.output}" is not known`, 'text, json or yaml', 2);
  if (flags.every && flags.not === undefined)
    throw new CliError('--every goes with --not NODE', 'e.g. kubereel why pod/web-0 --not node-2 --every', 2);
  const found = await openClusterLog(flags);
  const { log, cluster, seed } = found;
  try {
    demandWhole(found, 'why');
    const object = await findObject(text, flags.namespace, found, (line) => void process.stderr.write(`kubereel: ${line}\n`));
    checkNot(object, flags);
    const controllers = await controllerFactory({ schedulerPlugins: flags.schedulerPlugins?.map((file) => resolve(file)) });
    const report = await why({ log, cluster, seed, object, controllers, explainers: await attemptExplainers() });
    if (!report) throw await unknownObject(text, object, found);
    const { told, data } =
      flags.not === undefined
        ? { told: () => renderWhy(report, { server: serverOf(found), width: process.stdout.columns }), data: report }
        : answerNot(report, text, flags.not, flags.every === true);
    if (flags.output === 'text') process.stdout.write(paintStory(told(), painter()));
    else if (flags.output === 'json') process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
    else process.stdout.write((await import('yaml')).stringify(data));
  } finally {
    await log.close();
  }
}

/** The API server of the log's cluster, as the kubeconfig in its folder has it. */
function serverOf({ folder, server }: ClusterLog): string | undefined {
  if (server !== undefined || folder === undefined) return server;
  return /"server": "([^"]+)"/.exec(readIfThere(join(folder, 'kubeconfig')))?.[1];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function checkNot({ resource }: ObjectName, { not }: WhyFlags): void {
  if (not !== undefined && resource !== 'pods') throw new CliError('--not asks about a pod', 'e.g. kubereel why pod/web-0 --not node-2', 2);
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
