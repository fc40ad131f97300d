import type { ContainerBehaviour, ExecAnswer, GrpcAnswer, HttpAnswer } from './container-behaviour';
import type { Timeline } from './timeline';

/** The answers to a command, by the last part of its first word; undefined: nothing is said about it. */
export function execAnswers({ exec }: ContainerBehaviour, command: readonly string[]): Timeline<ExecAnswer> | undefined {
  const [word = ''] = command;
  return exec.get(word) ?? exec.get(word.slice(word.lastIndexOf('/') + 1));
}

/** The answers to requests; undefined: nothing is said about this port. A path that is not named on one that is, is not found. */
export function httpAnswers({ http }: ContainerBehaviour, port: number, path: string): Timeline<HttpAnswer> | undefined {
  const ofPort = http.filter((each) => each.port === port);
  if (ofPort.length === 0) return undefined;
  const plain = path.split(/[?#]/, 1)[0];
  const found = ofPort.find((each) => each.path === path) ?? ofPort.find((each) => each.path === plain || each.path === '*');
  return found?.answers ?? { steps: [{ fromMs: 0, code: 404, takesMs: 0 }] };
}

/** Whether something listens; undefined: nothing is said about this port. */
export function tcpAnswers({ tcp }: ContainerBehaviour, port: number): Timeline<{ open: boolean }> | undefined {
  return tcp.find((each) => each.port === port)?.answers;
}

/** The answers of a health service; undefined: nothing is said about this port. A service that is not named on one that is, is unknown. */
export function grpcAnswers({ grpc }: ContainerBehaviour, port: number, service: string): Timeline<GrpcAnswer> | undefined {
  const ofPort = grpc.filter((each) => each.port === port);
  if (ofPort.length === 0) return undefined;
  const found = ofPort.find((each) => each.service === service);
  return found?.answers ?? { steps: [{ fromMs: 0, status: 'SERVICE_UNKNOWN', takesMs: 0 }] };
}
