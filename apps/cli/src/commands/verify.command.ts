import { Command } from 'commander';
import type { VerifyFlags } from '../audit/verify-flags';

export function verifyCommand(): Command {
  return new Command('verify')
    .description('Check the digest chain, then make every controller decision again from its basis and compare.')
    .option('--data <folder>', 'the cluster of this data folder, running or not (default: that of $KUBECONFIG, else ./.kubereel)')
    .option('--event-store <url>', 'the log in this EventStoreDB (esdb://…); with a password better in KUBEREEL_EVENT_STORE, or:')
    .option('--event-store-file <file>', 'a file that holds its address')
    .option('--scheduler-plugins <file...>', 'the scheduler plugins that the cluster ran with')
    .option('-o, --output <format>', 'text or json', 'text')
    .addHelpText('after', '\nThe last line counts what agreed; exit status 0 only without a difference.\n')
    .action(async (flags: VerifyFlags) => {
      const { verifyLog } = await import('../audit/verify-log.js');
      await verifyLog(flags);
    });
}
