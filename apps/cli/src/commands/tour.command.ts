import { Command } from 'commander';

export function tourCommand(): Command {
  return new Command('tour')
    .description('A preemption, why it happened, and the cluster before it: one minute, nothing to set up.')
    .action(async () => {
      const { tour } = await import('../tour/tour.js');
      await tour();
    });
}
