import { renderWhy, why } from '#libs/audit';
import { CliError } from '../cli-error';
import type { WhyFlags } from './why-flags';
import { parseObjectName } from '../log/object-name';
import { openClusterLog } from '../log/open-cluster-log';
import { controllerFactory } from '../up/controllers';
import { attemptExplainers } from './explainers';

export async function tellWhy(text: string, flags: WhyFlags): Promise<void> {
  const object = await parseObjectName(text, flags.namespace);
  if (!['text', 'json', 'yaml'].includes(flags.output)) throw new CliError(`-o: "${flags.output}" is not known`, 'text, json or yaml', 2);
  const { log, cluster, seed, place } = await openClusterLog(flags);
  try {
    const controllers = await controllerFactory();
    const report = await why({ log, cluster, seed, object, controllers, explainers: await attemptExplainers() });
    if (!report) throw new CliError(`the log of ${place} knows no ${text}`, `See what it knows: kubereel log${flags.data ? ` --data ${flags.data}` : ''}`);
    if (flags.output === 'text') process.stdout.write(renderWhy(report));
    else if (flags.output === 'json') process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else process.stdout.write((await import('yaml')).stringify(report));
  } finally {
    await log.close();
  }
}
