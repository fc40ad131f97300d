import { Command } from 'commander';
import type { LogFlags } from '../log/log-flags';

export function logCommand(): Command {
  return new Command('log')
    .description('Show the event stream: one line an event, newest last.')
    .argument('[object]', 'only events about it: pod/web-0, node/node-1 (-n NAMESPACE/… for another namespace than default: pod/shop/web-0)')
    .option('--data <folder>', 'the cluster of this data folder, running or not (default: that of $KUBECONFIG, else ./.kubereel)')
    .option('--event-store <url>', 'the log in this EventStoreDB (esdb://…)')
    .option('-f, --follow', 'go on with events as they come')
    .option('-o, --output <format>', 'text, or json (one event a line)', 'text')
    .option('--type <names...>', 'only events of these types')
    .option('--actor <name>', 'only events written by it: user:admin, scheduler, …')
    .option('--since <position>', 'from this resourceVersion on')
    .option('--until <position>', 'up to this resourceVersion')
    .option('--limit <count>', 'the last so many')
    .addHelpText('after', '\nExamples:\n  kubereel log -f\n  kubereel log pod/web-0\n  kubereel log --type PodPreempted PreemptionDecided\n')
    .action(async (object: string | undefined, flags: LogFlags) => {
      const { showLog } = await import('../log/show-log.js');
      await showLog(object, flags);
    });
}
