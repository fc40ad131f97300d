import { Command } from 'commander';
import type { ResetFlags } from '../reset/reset-flags';
import { defaultDataFolder } from '../up/data-folder';

export function resetCommand(): Command {
  return new Command('reset')
    .description('Delete the cluster of a data folder; the next up begins afresh.')
    .option('--data <folder>', `the cluster's folder (default: ./${defaultDataFolder})`)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nA running cluster is not deleted: stop it first. Other files in the folder stay.\n')
    .action(async (flags: ResetFlags) => {
      const { reset } = await import('../reset/reset.js');
      await reset(flags);
    });
}
