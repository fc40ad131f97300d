import { existsSync, readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { CliError } from '../cli-error';
import { writeAtomically } from './data-folder';

export interface KubeconfigInput {
  url: string;
  /** PEM. */
  ca: string;
  token: string;
}

/** Name of the cluster, the user and the context in it. */
export const kubeconfigContext = 'kubereel';
const name = kubeconfigContext;

function entries({ url, ca, token }: KubeconfigInput): { cluster: object; user: object; context: object } {
  return {
    cluster: { name, cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    user: { name, user: { token } },
    context: { name, context: { cluster: name, user: name } },
  };
}

/** A kubeconfig of its own: one cluster, one user, one context, in use. */
export function kubeconfigText(input: KubeconfigInput): string {
  const { cluster, user, context } = entries(input);
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [cluster], users: [user], contexts: [context], 'current-context': name }, null, 2)}\n`;
}

/**
 * Writes the kubeconfig; into a file of the user's the context is added (or renewed) without switching to it.
 * @param isOwn the file in the data folder, which is ours alone
 * @throws CliError when that file is no kubeconfig.
 */
export function writeKubeconfig(path: string, input: KubeconfigInput, isOwn: boolean): void {
  if (isOwn || !existsSync(path)) {
    writeAtomically(path, kubeconfigText(input));
    return;
  }
  const document = parseDocument(readFileSync(path, 'utf8'));
  const content = document.toJS() as Record<string, unknown> | null;
  if (document.errors.length > 0 || typeof content !== 'object' || content === null) {
    throw new CliError(`${path} is not a kubeconfig`, 'Name another file with --kubeconfig, or remove this one.');
  }
  const { cluster, user, context } = entries(input);
  for (const [list, entry] of [
    ['clusters', cluster],
    ['users', user],
    ['contexts', context],
  ] as const) {
    const others = (Array.isArray(content[list]) ? (content[list] as { name?: string }[]) : []).filter((item) => item.name !== name);
    document.set(list, document.createNode([...others, entry]));
  }
  if (!content['current-context']) document.set('current-context', name);
  writeAtomically(path, document.toString());
}
