import type { KubeObject } from '#libs/kernel';
import { badRequest, isFailure, type Failure } from '#libs/kube-api';
import { followOutput } from '../containers/live-output';
import { containerOf, statusOf } from '../containers/of-pod';
import { outputOf, runOf, type Run } from '../containers/run-output';
import type { Answer, StreamAnswer, StreamSink } from '../http/answer';
import { findObject } from '../reading/get';
import type { ResourceRequest } from '../reading/resource-request';
import { kubeletOf, logFailure } from '../remote/kubelet-connection';
import { linesOf, shownLine, shownLines } from './log-lines';
import { readLogOptions, type LogOptions } from './log-options';

const text = { status: 200, contentType: 'text/plain', overWebSocket: 'bytes' } as const;

/** GET pods/x/log: what the container's program writes, the lines that annotations give it, or one that says what it is. */
export async function podLog(request: ResourceRequest): Promise<Answer | StreamAnswer | Failure> {
  const { view } = request;
  const options = readLogOptions(request.name ?? '', request.query);
  if (isFailure(options)) return options;
  const pod = await findObject(request);
  if (isFailure(pod)) return pod;
  const container = containerOf(pod, options.container);
  if (isFailure(container)) return container;
  if (!pod.spec?.nodeName) return { status: 204, contentType: undefined, body: '' };
  const kubelet = await kubeletOf(pod, view);
  if (isFailure(kubelet)) return kubelet;
  if (kubelet.dialError !== undefined) return logFailure(kubelet, pod, container, options);
  const run = runOf(pod, container, options.previous);
  if (!run) return noRun(pod, container, options.previous);
  const { time } = view;
  const pieces = await outputOf(pod, run, view);
  const body = shownLines(linesOf(pieces, run.startedAt), options, time);
  if (!options.follow || run.finishedAt !== undefined || !statusOf(pod, container)?.state?.running) return { ...text, body };
  return { ...text, open: (sink) => void follow(sink, request, { pod, run, options, body, time }) };
}

function noRun(pod: KubeObject, container: string, previous: boolean): Failure {
  const { name } = pod.metadata;
  if (previous) return badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  const reason = statusOf(pod, container)?.state?.waiting?.reason ?? 'ContainerCreating';
  return badRequest(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
}

interface Followed {
  pod: KubeObject;
  run: Run;
  options: LogOptions;
  /** What has been written up to a moment, and the moment, ms since the epoch. */
  body: string;
  time: number;
}

/** Stays open for as long as the container runs. */
async function follow(sink: StreamSink, { view }: ResourceRequest, { pod, run, options, body, time }: Followed): Promise<void> {
  if (body !== '') sink.write(Buffer.from(body));
  let left = options.limitBytes === undefined ? Number.POSITIVE_INFINITY : options.limitBytes - Buffer.byteLength(body);
  let stop: () => void = () => undefined;
  let isOver = left <= 0;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    stop();
    sink.end();
  };
  if (isOver) {
    sink.end();
    return;
  }
  sink.onClosed(() => {
    isOver = true;
    stop();
  });
  stop = await followOutput(pod, run, view, time - run.startedAt, {
    written: (written, atMs) => {
      for (const line of linesOf([[atMs, written]], run.startedAt)) {
        const bytes = Buffer.from(shownLine(line, options)).subarray(0, left);
        left -= bytes.length;
        if (!isOver) sink.write(bytes);
      }
      if (left <= 0) end();
    },
    ended: end,
  });
  if (isOver) stop();
}
