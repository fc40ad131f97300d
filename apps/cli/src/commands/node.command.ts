import { Command } from 'commander';
import type { NodeFlags } from '../node/node-flags';

const help = `
Actions:
  fail             its kubelet is not heard any more; after a while the node is
                   unknown and its pods are made to leave. --machine: it went
                   down, and every container with it
  recover          it is well again: heard, its runtime and network ready
  restart-kubelet  the kubelet begins anew, the containers run on
  reboot           the machine begins anew, and every container with it
  pressure         others than pods take --memory, --disk, --inodes and --pids
                   of it; 0 is none
  runtime          --runtime down, --network down: they are not ready; or up
  shutdown         it is shut down: pods end by priority, within --grace, the
                   critical ones in the last --critical seconds of it
  static           its kubelet runs the pod in --file by itself, as it would
                   run a file in its manifest folder; --remove ends that
  add              a node is added, with --cpu, --memory, --pods and --zone
  drain            no pods come any more, and those that are there are evicted

What befell a node is told by: kubereel why node/NAME
`;

export function nodeCommand(): Command {
  return new Command('node')
    .description('Let something befall the nodes of the running cluster in $KUBECONFIG.')
    .argument('<action>', 'fail, recover, restart-kubelet, reboot, pressure, runtime, shutdown, static, add or drain')
    .argument('<names...>', 'the nodes')
    .option('--machine', 'fail: the whole machine goes down')
    .option('--memory <quantity>', 'pressure: what others take, such as 3Gi; add: what it has (default: 8Gi)')
    .option('--disk <quantity>', 'pressure: what others take, such as 90Gi')
    .option('--inodes <number>', 'pressure: files that others have, such as 6M')
    .option('--pids <number>', 'pressure: processes of others, such as 30k')
    .option('--runtime <state>', 'runtime: up or down')
    .option('--network <state>', 'runtime: up or down')
    .option('--grace <seconds>', 'shutdown: time in all (default: 30)')
    .option('--critical <seconds>', 'shutdown: what of it is left to critical pods (default: 10)')
    .option('--file <path>', 'static: manifest of the pod, YAML or JSON')
    .option('--remove <name>', 'static: name of a file that was given before')
    .option('--cpu <quantity>', 'add: what it has (default: 4)')
    .option('--pods <number>', 'add: how many it takes (default: 110)')
    .option('--zone <name>', 'add: its zone (default: none)')
    .option('--timeout <seconds>', 'drain: give up after so long (default: never)')
    .addHelpText('after', help)
    .action(async (action: string, names: string[], flags: NodeFlags) => {
      const { actOnNodes } = await import('../node/act-on-nodes.js');
      await actOnNodes(action, names, flags);
    });
}
