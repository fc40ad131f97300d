import { Command } from 'commander';
import type { SimulateFlags } from '../scenario/simulate-flags';

export function simulateCommand(): Command {
  return new Command('simulate')
    .description('Play a scenario in virtual time, or against a live cluster, and check what it expects.')
    .argument('<files...>', 'scenario files; some are in scenarios/')
    .option('--live', 'against the cluster in $KUBECONFIG, in real time')
    .option('--seed <text>', 'seed of ties and names')
    .option('--events <file>', 'write the events of the simulation there, one JSON a line')
    .option(
      '--why <object>',
      'afterwards tell why (e.g. pod/high); may be repeated',
      (value: string, list: string[]) => [...list, value],
      [] as string[],
    )
    .addHelpText(
      'after',
      '\nExit status 0 only when every expectation held.\nExample:\n  kubereel simulate scenarios/preemption.yaml --why pod/high\n',
    )
    .action(async (files: string[], flags: SimulateFlags) => {
      const { simulate } = await import('../scenario/simulate.js');
      await simulate(files, flags);
    });
}
