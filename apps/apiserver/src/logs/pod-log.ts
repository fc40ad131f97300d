import { objectKey, type KubeObject } from '#libs/kernel';
import { badRequest, isFailure, type Failure } from '#libs/kube-api';
import type { Answer, StreamAnswer, StreamSink } from '../http/answer';
import { findObject } from '../reading/get';
import type { ResourceRequest } from '../reading/resource-request';
import { kubeletOf, logFailure } from '../remote/kubelet-connection';
import { containerOf, statusOf } from './containers';
import { readLogOptions, type LogOptions } from './log-options';

/** What a container writes: `kubereel.dev/<container>.log`, or `kubereel.dev/log` for every container of the pod. */
const annotationOf = (container: string): readonly string[] => [`kubereel.dev/${container}.log`, 'kubereel.dev/log'];
const text = { status: 200, contentType: 'text/plain', overWebSocket: 'bytes' } as const;

/** GET pods/x/log: the lines that annotations give the container, or one that says what it is. */
export async function podLog(request: ResourceRequest): Promise<Answer | StreamAnswer | Failure> {
  const options = readLogOptions(request.name ?? '', request.query);
  if (isFailure(options)) return options;
  const pod = await findObject(request);
  if (isFailure(pod)) return pod;
  const container = containerOf(pod, options.container);
  if (isFailure(container)) return container;
  if (!pod.spec?.nodeName) return { status: 204, contentType: undefined, body: '' };
  const kubelet = await kubeletOf(pod, request.view);
  if (isFailure(kubelet)) return kubelet;
  if (kubelet.dialError !== undefined) return logFailure(kubelet, pod, container, options);
  const startedAt = startOf(pod, container, options.previous);
  if (isFailure(startedAt)) return startedAt;
  const body = shownLines(pod, container, startedAt, options, request.view.time);
  if (!options.follow || !isRunning(pod, container)) return { ...text, body };
  return { ...text, open: (sink) => follow(sink, request, pod, container, body) };
}

function startOf(pod: KubeObject, container: string, previous: boolean): string | Failure {
  const status = statusOf(pod, container);
  const { name } = pod.metadata;
  if (previous) {
    const ended = status?.lastState?.terminated;
    return ended ? (ended.startedAt ?? '') : badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  }
  const state = status?.state;
  const started = state?.running ?? state?.terminated ?? status?.lastState?.terminated;
  if (started) return started.startedAt ?? '';
  return badRequest(`container "${container}" in pod "${name}" is waiting to start: ${state?.waiting?.reason ?? 'ContainerCreating'}`);
}

function isRunning(pod: KubeObject, container: string): boolean {
  return statusOf(pod, container)?.state?.running !== undefined;
}

function linesOf(pod: KubeObject, container: string): string[] {
  const { annotations, namespace, name } = pod.metadata;
  for (const key of annotationOf(container)) {
    const text = annotations?.[key];
    if (text !== undefined) return text === '' ? [] : text.replace(/\n$/, '').split('\n');
  }
  return [`container ${container} of pod ${namespace}/${name} is simulated: nothing runs in it, so it writes nothing`];
}

/** Everything that the container writes. */
export function shownLog(pod: KubeObject, container: string): string {
  return linesOf(pod, container)
    .map((line) => `${line}\n`)
    .join('');
}

/** All lines are as old as the container's start. */
function shownLines(pod: KubeObject, container: string, startedAt: string, options: LogOptions, now: number): string {
  const started = Date.parse(startedAt);
  const since = options.sinceTime ?? (options.sinceSeconds === undefined ? undefined : now - options.sinceSeconds * 1000);
  if (since !== undefined && started < since) return '';
  let lines = linesOf(pod, container);
  if (options.tailLines !== undefined) lines = options.tailLines === 0 ? [] : lines.slice(-options.tailLines);
  const stamp = options.timestamps ? `${startedAt.replace(/Z$/, '.000000000Z')} ` : '';
  const text = lines.map((line) => `${stamp}${line}\n`).join('');
  return options.limitBytes === undefined ? text : Buffer.from(text).subarray(0, options.limitBytes).toString('utf8');
}

/** Stays open for as long as the container runs. */
function follow(sink: StreamSink, { view }: ResourceRequest, pod: KubeObject, container: string, body: string): void {
  if (body !== '') sink.write(Buffer.from(body));
  const feed = view.feed('pods');
  if (!feed) {
    sink.end();
    return;
  }
  const key = objectKey(pod.metadata.namespace, pod.metadata.name);
  const stop = feed.listen((changes) => {
    const last = changes.findLast((change) => change.key === key);
    if (last && (last.type === 'DELETED' || !isRunning(last.object, container))) sink.end();
  });
  sink.onClosed(stop);
}
