import { Command } from 'commander';
import type { SealFlags } from '../audit/seal-flags';

const help = `
Keep the line away from the cluster: in another account, in a ticket, on paper.
Whoever can write to the log can also compute its seals anew, but cannot make a
changed log fit a line that was kept elsewhere.

  kubereel seal >> seals.txt
  kubereel verify --seal seals.txt

A line is signed with a key of the cluster, seal.key in its data folder, made
when it is first needed. Keep its public key, too (kubereel seal --public-key),
and give it to verify with --seal-key. Safer still is a key that never lies
beside the log: --key FILE.
`;

export function sealCommand(): Command {
  return new Command('seal')
    .description('Print one line, a hash of the whole log so far; kept elsewhere, it shows later whether the log was changed.')
    .option('--data <folder>', 'the cluster of this data folder, running or not (default: that of $KUBECONFIG, else ./.kubereel)')
    .option('--event-store <url>', 'the log in this EventStoreDB (esdb://…); with a password better in KUBEREEL_EVENT_STORE, or:')
    .option('--event-store-file <file>', 'a file that holds its address')
    .option('--whole', 'count from the first event on, instead of from the last seal in the log')
    .option('--key <file>', 'sign with this private key (ed25519, PEM) instead of the cluster’s')
    .option('--no-signature', 'do not sign')
    .option('--public-key', 'print the public key of the signatures, and no seal')
    .addHelpText('after', help)
    .action(async (flags: SealFlags) => {
      const { printSeal } = await import('../audit/print-seal.js');
      await printSeal(flags);
    });
}
