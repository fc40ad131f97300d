import type { ExecAnswer, GrpcAnswer, GrpcService, HttpAnswer, HttpPath, Refusal, TcpPort, VolumeWrite } from './container-behaviour';
import { parseExitCode, parseTimeline, partsOf, Words } from './grammar';
import type { Timeline } from './timeline';
import { quantityValue, parseQuantity } from '#libs/kernel';

/** `exit 1 takes 2s out "text" err "text"`, in any order; `ok` is `exit 0`. */
export function readExecAnswer(words: Words): ExecAnswer | undefined {
  const answer: ExecAnswer = { exitCode: 0, takesMs: 0 };
  while (!words.isOver) {
    if (words.take('ok')) continue;
    const [key, value] = [words.next(), words.next()];
    if (!key || !value || key.isQuoted) return undefined;
    if (key.text === 'out' || key.text === 'err') answer[key.text] = value.text;
    else if (!setNumber(answer, key.text, value.text)) return undefined;
  }
  return answer;
}

function setNumber(answer: ExecAnswer, key: string, value: string): boolean {
  const read = key === 'exit' ? parseExitCode(value) : key === 'takes' ? durationOf(value) : undefined;
  if (read === undefined) return false;
  if (key === 'exit') answer.exitCode = read;
  else answer.takesMs = read;
  return true;
}

const durationOf = (text: string): number | undefined => new Words([{ text, isQuoted: false }]).duration();

/** `503 takes 2s body "text" to "http://…"`: the code first, 200 where there is none. */
function readHttpAnswer(words: Words): HttpAnswer | undefined {
  const answer: HttpAnswer = { code: 200, takesMs: 0 };
  if (/^[1-5]\d\d$/.test(words.peek()?.text ?? '')) answer.code = Number(words.next()?.text);
  while (!words.isOver) {
    const [key, value] = [words.next()?.text, words.next()];
    if (!value) return undefined;
    if (key === 'body') answer.body = value.text;
    else if (key === 'to') answer.location = value.text;
    else {
      const takesMs = key === 'takes' ? durationOf(value.text) : undefined;
      if (takesMs === undefined) return undefined;
      answer.takesMs = takesMs;
    }
  }
  return answer;
}

function readOpen(words: Words): { open: boolean } | undefined {
  if (words.take('open')) return { open: true };
  return words.take('closed') ? { open: false } : undefined;
}

const grpcStatuses: ReadonlySet<string> = new Set(['SERVING', 'NOT_SERVING', 'UNKNOWN', 'SERVICE_UNKNOWN']);

function readGrpcAnswer(words: Words): GrpcAnswer | undefined {
  const status = words.next()?.text ?? '';
  if (!grpcStatuses.has(status)) return undefined;
  const takesMs = words.take('takes') ? words.duration() : 0;
  return takesMs === undefined ? undefined : { status, takesMs };
}

export type ProbedPorts = { http: HttpPath[]; tcp: TcpPort[]; grpc: GrpcService[] };

/** `exec.WORD`: answers to commands, by the word that they begin with. */
export function execOf(values: ReadonlyMap<string, string>): Map<string, Timeline<ExecAnswer>> {
  const answers = new Map<string, Timeline<ExecAnswer>>();
  for (const [key, value] of values) {
    if (!key.startsWith('exec.')) continue;
    const timeline = parseTimeline(value, readExecAnswer);
    if (timeline) answers.set(key.slice('exec.'.length), timeline);
  }
  return answers;
}

/** `http.PORT`, `tcp.PORT`, `grpc.PORT`: the first and the last have a line for each path or service. */
export function portsOf(values: ReadonlyMap<string, string>): ProbedPorts {
  const ports: ProbedPorts = { http: [], tcp: [], grpc: [] };
  for (const [key, value] of values) {
    const [, kind, digits] = /^(http|tcp|grpc)\.(\d{1,5})$/.exec(key) ?? [];
    const port = Number(digits);
    if (kind === 'http') ports.http.push(...linesOf(value).flatMap((line) => readHttpLine(port, line)));
    else if (kind === 'grpc') ports.grpc.push(...linesOf(value).flatMap((line) => readGrpcLine(port, line)));
    else if (kind === 'tcp') {
      const answers = parseTimeline(value, readOpen);
      if (answers) ports.tcp.push({ port, answers });
    }
  }
  return ports;
}

export const linesOf = (value: string): string[] => value.split('\n').filter((line) => line.trim() !== '');

/** `/path 200; from 5s 500`; without a path it is about all of them. */
function readHttpLine(port: number, line: string): HttpPath[] {
  const [, path = '*', timeline = ''] = /^\s*(\/\S*)?\s*(.*)$/s.exec(line) ?? [];
  const answers = parseTimeline(timeline.trim() === '' ? '200' : timeline, readHttpAnswer);
  return answers ? [{ port, path, answers }] : [];
}

/** `my.Service: SERVING; from 5s NOT_SERVING`; without a name it is about the server as a whole. */
function readGrpcLine(port: number, line: string): GrpcService[] {
  const [, service = '', timeline = ''] = /^\s*(?:([^\s:;"]+):\s)?\s*(.*)$/s.exec(line) ?? [];
  const answers = parseTimeline(timeline, readGrpcAnswer);
  return answers ? [{ port, service, answers }] : [];
}

/** A message, and how often it is refused with it. */
export function refusalOf(message: string | undefined, times: string | undefined): Refusal | undefined {
  if (message === undefined) return undefined;
  const count = times !== undefined && /^\d{1,6}$/.test(times.trim()) ? Number(times) : undefined;
  return { message, ...(count === undefined ? {} : { times: count }) };
}

/** `60Mi to /data at 5s; 1Gi to /data at 1m`. */
export function writesOf(value: string | undefined): VolumeWrite[] {
  return (value === undefined ? [] : (partsOf(value) ?? [])).flatMap((part) => {
    const words = new Words(part);
    const amount = words.next()?.text;
    const mountPath = words.take('to') ? words.next()?.text : undefined;
    const atMs = words.take('at') ? words.duration() : 0;
    if (mountPath === undefined || atMs === undefined || !words.isOver || !parseQuantity(amount)) return [];
    return [{ atMs, mountPath, bytes: quantityValue(amount) }];
  });
}
