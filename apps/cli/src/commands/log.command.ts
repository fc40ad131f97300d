import { Command } from 'commander';
import type { LogFlags } from '../log/log-flags';

export function logCommand(): Command {
  return new Command('log')
    .description('Show the event stream: one line an event, newest last.')
    .argument('[object]', 'only events about it: pod/web-0, pod/NAMESPACE/web-0, node/node-1, or a name alone')
    .option('--data <folder>', 'the cluster of this data folder, running or not (default: that of $KUBECONFIG, else ./.kubereel)')
    .option('--event-store <url>', 'the log in this EventStoreDB (esdb://…); with a password better in KUBEREEL_EVENT_STORE, or:')
    .option('--event-store-file <file>', 'a file that holds its address')
    .option('-f, --follow', 'keep running, and show events as they come')
    .option('-o, --output <format>', 'text, or json (one event a line)', 'text')
    .option('--type <names...>', 'only events of these types')
    .option('--actor <name>', 'only events written by NAME: user:admin, scheduler, …')
    .option('--since <moment>', 'only events from then on: 5m (ago), 14:03:10 (UTC), RFC 3339, a resourceVersion, before:EVENT-ID')
    .option('--until <moment>', 'only events up to then')
    .option('--limit <count>', 'only the last COUNT events')
    .option('--show-secrets', 'show what Secrets hold, instead of its length and a mark')
    .addHelpText(
      'after',
      '\nExamples:\n  kubereel log -f\n  kubereel log pod/web-0 --since 5m\n  kubereel log --type PodPreempted PreemptionDecided\n',
    )
    .action(async (object: string | undefined, flags: LogFlags) => {
      const { showLog } = await import('../log/show-log.js');
      await showLog(object, flags);
    });
}
