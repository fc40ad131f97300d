import { parseQuantity } from '#libs/kernel';
import { CliError } from '../cli-error';

export interface NodesOption {
  count: number;
  cpu: string;
  memory: string;
  pods: number;
}

const usage = 'Write it as N[,cpu=4][,memory=8Gi][,pods=110]; 0 for none.';
const nodesMax = 20_000;

/** `--nodes 3,cpu=4,memory=8Gi,pods=110`. @throws CliError naming the part that is off. */
export function parseNodes(text: string): NodesOption {
  const [count, ...settings] = text.split(',');
  const option: NodesOption = { count: wholeNumber('--nodes', count ?? '', nodesMax), cpu: '4', memory: '8Gi', pods: 110 };
  for (const setting of settings) {
    const [key, value = ''] = setting.split('=') as [string, string | undefined];
    if (key === 'pods') option.pods = wholeNumber('pods', value, 10_000);
    else if ((key === 'cpu' || key === 'memory') && parseQuantity(value)) option[key] = value;
    else throw new CliError(`--nodes: "${setting}" is not understood`, usage, 2);
  }
  return option;
}

function wholeNumber(what: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) throw new CliError(`${what}: "${text}" is no number from 0 to ${max}`, usage, 2);
  return value;
}
