import type { KubeObject } from '#libs/kernel';
import type { OutputPiece } from '#libs/kubelet';
import type { ClusterView } from '../serving/cluster-view';

/** By the name of the pod, in its namespace; the other by a selector, for all of the cluster. */
const ofOne = 'logs.kwok.x-k8s.io';
const ofMany = 'clusterlogs.kwok.x-k8s.io';

interface LogsSpec {
  selector?: { matchNamespaces?: string[]; matchNames?: string[] };
  logs?: ToldLog[];
}

interface ToldLog {
  containers?: string[];
  logsFile?: string;
  previousLogsFile?: string;
}

/** What Logs objects of kwok say that a run has written; undefined: they say nothing of it. */
export async function toldByKwok(
  pod: KubeObject,
  run: { container: string; startedAt: number; isPrevious: boolean },
  view: ClusterView,
): Promise<OutputPiece[] | undefined> {
  if (!view.hostFile) return undefined;
  const told = await logOf(pod, run.container, view);
  const path = run.isPrevious ? told?.previousLogsFile : told?.logsFile;
  if (path === undefined) return undefined;
  const text = await view.hostFile(path);
  return text === undefined ? [[0, `kwok's log file ${path} is not below the folder of --kwok-files\n`]] : piecesOf(text, run.startedAt);
}

async function logOf(pod: KubeObject, container: string, view: ClusterView): Promise<ToldLog | undefined> {
  const { namespace = '', name } = pod.metadata;
  const own = (await view.look(ofOne))().get(`${namespace}/${name}`);
  if (own) return chosen(own, container);
  for (const object of (await view.look(ofMany))().list()) {
    const { matchNamespaces = [], matchNames = [] } = ((object.spec ?? {}) as LogsSpec).selector ?? {};
    if (matchNamespaces.length > 0 && !matchNamespaces.includes(namespace)) continue;
    if (matchNames.length > 0 && !matchNames.includes(name)) continue;
    const found = chosen(object, container);
    if (found) return found;
  }
  return undefined;
}

/** The one that names the container goes before one that is for all. */
function chosen({ spec }: KubeObject, container: string): ToldLog | undefined {
  const { logs = [] } = (spec ?? {}) as LogsSpec;
  return logs.find(({ containers = [] }) => containers.includes(container)) ?? logs.find(({ containers = [] }) => containers.length === 0);
}

/** A line as container runtimes write it: the time, the stream, whether it is whole, the text. */
const criLine = /^(\d{4}-\d\d-\d\dT\S+) (?:stdout|stderr) ([FP])(?: (.*))?$/s;

/** Lines that have no time of their own are there from the start. */
function piecesOf(text: string, startedAt: number): OutputPiece[] {
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  return lines.map((line): OutputPiece => {
    const [, time = '', tag, content = ''] = criLine.exec(line) ?? [];
    const at = Date.parse(time);
    if (Number.isNaN(at)) return [0, `${line}\n`];
    return [at - startedAt, tag === 'P' ? content : `${content}\n`];
  });
}
