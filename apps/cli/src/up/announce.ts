import { relative, resolve } from 'node:path';
import { withoutPassword } from '../store/store-address';
import { asCalled } from '../terminal/as-called';
import { painter } from '../terminal/colour';
import { defaultDataFolder } from './data-folder';
import type { UpPlan } from './up-plan';

/** What a user reads when the cluster is ready; the last line is the one to paste. */
export function announce(plan: UpPlan, ready: { url: string; resumed: boolean; tookMs: number }): void {
  const say = (line: string): void => void process.stdout.write(`${asCalled(line)}\n`);
  const seconds = (ready.tookMs / 1000).toFixed(2);
  say(`kubereel: ${ready.resumed ? 'resumed the' : 'new'} cluster ${placeOf(plan)}${ready.resumed ? afresh(plan) : keptOf(plan)}`);
  if (!ready.url) {
    say(`running ${plan.apps.join(', ')}; ready in ${seconds} s`);
    return;
  }
  say(`API server ${ready.url}, ready in ${seconds} s; Ctrl-C stops it, ${isKept(plan) ? 'the data stays' : 'and all is gone'}`);
  say('why anything happened: kubereel why pod/NAME     the stream itself: kubereel log');
  if (!plan.ownKubeconfig) say(`context "kubereel" is in ${display(plan.kubeconfig)}: kubectl --context kubereel get nodes`);
  say(painter()('bold', `export KUBECONFIG=${plan.kubeconfig}`));
}

/** The last line: what is left, and how to go on with it. */
export function sayStopped(plan: UpPlan): void {
  const where = storeOf(plan) ?? display(plan.folder);
  const line = isKept(plan) ? `stopped; the data is in ${where}, resume it with: ${resumeCommand(plan)}` : 'stopped; all is gone';
  process.stdout.write(`kubereel: ${asCalled(line)}\n`);
}

function placeOf(plan: UpPlan): string {
  const store = storeOf(plan);
  if (store !== undefined) return `on ${store}, its settings in ${display(plan.folder)}`;
  // Apps of their own follow the log in a file, also where it is not kept.
  if (plan.ephemeral) return plan.split ? 'in a temporary folder' : 'in memory';
  return `in ${display(plan.folder)}`;
}

/** Only what is in the folder can be deleted from here. */
function afresh(plan: UpPlan): string {
  return storeOf(plan) === undefined ? ` (begin afresh: kubereel reset${dataFlag(plan.folder)})` : '';
}

/** Address of the event store that holds the log, without its password. */
function storeOf({ source }: UpPlan): string | undefined {
  return source.kind === 'eventstoredb' ? withoutPassword(source.connectionString) : undefined;
}

function isKept(plan: UpPlan): boolean {
  return !plan.ephemeral || storeOf(plan) !== undefined;
}

function resumeCommand(plan: UpPlan): string {
  const split = plan.split ? ' --split' : '';
  // The folder of a run without one is gone with it: the store is named again.
  if (plan.temporary) return `kubereel up --event-store '${storeOf(plan)}'${split}`;
  return `kubereel up${dataFlag(plan.folder)}${split}`;
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
