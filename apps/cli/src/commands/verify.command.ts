import { Command } from 'commander';
import type { VerifyFlags } from '../audit/verify-flags';

const help = `
Exit status: 0 the log is proven, 1 something in it is wrong, 3 nothing is
wrong and something cannot be proven here.

What can be accepted by name:
  unknown-stream=STREAM               a stream of a kind that kubereel does not
                                      have
  unknown-event=TYPE                  a type of event that it does not have
  unknown-version=CONTROLLER@VERSION  decisions by a version of a controller
                                      that was never released
  other-version=CONTROLLER@VERSION    decisions by another version of the
                                      controller than this kubereel has
  other-version=write-rules@VERSION   writes that the rules of another version
                                      led to and those of this kubereel do not
  not-derivable=NAME                  decisions of a controller that is not
                                      here, or writes of a process that were
                                      prepared long before they were written
  older-part=POSITION                 the log up to POSITION, written by a
                                      version that recorded less
  older-log=decisions                 the decisions of such a version

The checks, one by one: docs/verify.md
`;

export function verifyCommand(): Command {
  return new Command('verify')
    .description('Check that nothing in the log was changed: run every controller again, make every write again, and compare.')
    .option('--data <folder>', 'the cluster of this data folder, running or not (default: that of $KUBECONFIG, else ./.kubereel)')
    .option('--event-store <url>', 'the log in this EventStoreDB (esdb://…); with a password better in KUBEREEL_EVENT_STORE, or:')
    .option('--event-store-file <file>', 'a file that holds its address')
    .option('--scheduler-plugins <file...>', 'the scheduler plugins that the cluster ran with')
    .option('--accept <what=name...>', 'accept what cannot be proven here and is known to you; verify prints the WHAT=NAME to give')
    .option('--seal <file...>', 'files with seals that were kept elsewhere (kubereel seal), one a line')
    .option('--seal-key <key>', 'the public key that these seals must be signed with, or a file that holds it')
    .option('-o, --output <format>', 'text or json', 'text')
    .addHelpText('after', help)
    .action(async (flags: VerifyFlags) => {
      const { verifyLog } = await import('../audit/verify-log.js');
      await verifyLog(flags);
    });
}
