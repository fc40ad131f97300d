import { relative, resolve } from 'node:path';
import { asCalled } from '../terminal/as-called';
import { painter } from '../terminal/colour';
import { defaultDataFolder } from './data-folder';
import type { UpPlan } from './up-plan';

/** What a user reads when the cluster is ready; the last line is the one to paste. */
export function announce(plan: UpPlan, ready: { url: string; resumed: boolean; tookMs: number }): void {
  const say = (line: string): void => void process.stdout.write(`${asCalled(line)}\n`);
  const seconds = (ready.tookMs / 1000).toFixed(2);
  const place = plan.ephemeral ? 'in memory' : `in ${display(plan.folder)}`;
  if (ready.resumed) say(`kubereel: resumed the cluster ${place} (begin afresh: kubereel reset${dataFlag(plan.folder)})`);
  else say(`kubereel: new cluster ${place}${keptOf(plan)}`);
  if (!ready.url) {
    say(`running ${plan.apps.join(', ')}; ready in ${seconds} s`);
    return;
  }
  say(`API server ${ready.url}, ready in ${seconds} s; Ctrl-C stops it, ${plan.ephemeral ? 'and all is gone' : 'the data stays'}`);
  say('why anything happened: kubereel why pod/NAME     the stream itself: kubereel log');
  if (!plan.ownKubeconfig) say(`context "kubereel" is in ${display(plan.kubeconfig)}: kubectl --context kubereel get nodes`);
  say(painter()('bold', `export KUBECONFIG=${plan.kubeconfig}`));
}

/** The last line: what is left, and how to go on with it. */
export function sayStopped(plan: UpPlan): void {
  const line = plan.ephemeral
    ? 'stopped; all is gone'
    : `stopped; the data is in ${display(plan.folder)}, resume it with: ${resumeCommand(plan)}`;
  process.stdout.write(`kubereel: ${asCalled(line)}\n`);
}

function resumeCommand({ folder, split }: UpPlan): string {
  return `kubereel up${dataFlag(folder)}${split ? ' --split' : ''}`;
}

/** `--data` where it is not the default. */
function dataFlag(folder: string): string {
  return folder === resolve(defaultDataFolder) ? '' : ` --data ${display(folder)}`;
}

/** In memory the past is bounded; that is said before it matters. */
function keptOf({ source, split }: UpPlan): string {
  if (source.kind !== 'memory') return '';
  if (split || source.historyBytesMax === undefined) return '; all of its history is kept';
  return `; the newest ${Math.round(source.historyBytesMax / 1024 ** 2)} MiB of its history are kept (--history)`;
}

function display(path: string): string {
  const near = relative(process.cwd(), path);
  return near && !near.startsWith('..') ? `./${near}` : path;
}
