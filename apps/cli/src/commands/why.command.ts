import { Command } from 'commander';
import type { WhyFlags } from '../audit/why-flags';

export function whyCommand(): Command {
  return new Command('why')
    .description('Why an object is as it is, or gone: the causal story, each decision made again with its alternatives.')
    .argument('<object>', 'pod/web-0, pod/NAMESPACE/web-0, node/node-1, deploy/web …, or a name alone; also one that is gone')
    .option('--not <node>', 'of a pod: why it is not on this node (the verdict, scores and preemption there, at its last attempt)')
    .option('--every', 'with --not: at every attempt')
    .option('-n, --namespace <name>', 'namespace of the object', 'default')
    .option('--data <folder>', 'the cluster of this data folder, running or not (default: that of $KUBECONFIG, else ./.kubereel)')
    .option('--event-store <url>', 'the log in this EventStoreDB (esdb://…); with a password better in KUBEREEL_EVENT_STORE, or:')
    .option('--event-store-file <file>', 'a file that holds its address')
    .option('--scheduler-plugins <file...>', 'the scheduler plugins that the cluster ran with')
    .option('-o, --output <format>', 'text, json or yaml', 'text')
    .action(async (object: string, flags: WhyFlags) => {
      const { tellWhy } = await import('../audit/tell-why.js');
      await tellWhy(object, flags);
    });
}
