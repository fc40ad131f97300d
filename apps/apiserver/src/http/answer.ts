import type { Status } from '#libs/kube-api';
import type { Duplex } from 'node:stream';
import type { RemoteService } from './remote/service';

/** A whole answer, ready to be sent. */
export interface Answer {
  status: number;
  /** Undefined for an answer without a body. */
  contentType: string | undefined;
  body: string | Buffer;
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** May be sent compressed when the client asks: reads only. */
  compressible?: boolean;
  /** Its length is said however long it is: upstream serves it as it serves a file. */
  isFile?: boolean;
  /** May be read over a WebSocket too, as a stream of bytes. */
  overWebSocket?: 'bytes';
  /** The body's object in JSON, where the body is in another form. */
  json?: string | (() => string);
}

/** An answer that goes on: the handler has the connection to itself. */
export interface StreamAnswer {
  status: number;
  contentType: string | undefined;
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** How it goes over a WebSocket where a client asks for one: each frame a message, or as a stream of bytes. */
  overWebSocket?: 'frames' | 'bytes';
  /** Called once the headers are out. */
  open(sink: StreamSink): void;
}

/** The way out of a stream. */
export interface StreamSink {
  write(bytes: Buffer): void;
  /** Several frames at once: a way out that tells frames apart sends each as a message of its own. */
  writeFrames(frames: readonly Buffer[]): void;
  /** Ends the stream cleanly. */
  end(): void;
  /** Bytes accepted but not yet taken by the client. */
  readonly waitingBytes: number;
  /** Called whenever the client has taken all that was waiting. */
  onDrained(callback: () => void): void;
  /** Breaks the connection off: for a client that does not keep up. */
  abort(): void;
  /** Called once, when the stream is over for whatever reason. */
  onClosed(callback: () => void): void;
}

/** An answer in a protocol of its own, which the request asks for: exec, attach, port-forward. */
export interface ConnectAnswer {
  service: RemoteService;
}

/** What another server makes of a request to leave HTTP: it does, with the beginning of its answer as it came, or answers in plain HTTP. */
export type OpenedTunnel = { head: Buffer; socket: Duplex; first: Buffer } | { answer: Answer | StreamAnswer };

/** Asks the other server. Never rejects. */
export type Tunnel = () => Promise<OpenedTunnel>;

/** The connection is handed over to another server. */
export interface TunnelAnswer {
  tunnel: Tunnel;
}

export type Handled = Answer | StreamAnswer | ConnectAnswer | TunnelAnswer;

export function isTunnel(handled: Handled): handled is TunnelAnswer {
  return 'tunnel' in handled;
}

export function isConnect(handled: Handled): handled is ConnectAnswer {
  return 'service' in handled;
}

export function isStream(handled: Handled): handled is StreamAnswer {
  return 'open' in handled;
}

export const jsonType = 'application/json';
export const textType = 'text/plain; charset=utf-8';
const noSniff = { 'X-Content-Type-Options': 'nosniff' };

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, contentType: jsonType, body: JSON.stringify(value) };
}

/** Plain text as Go's `http.Error` sends it. */
export function textAnswer(status: number, text: string): Answer {
  return { status, contentType: textType, body: text, headers: noSniff };
}

/** To who asks without an upgrade for what is to be had by one alone. */
export function upgradeMissing(): Answer {
  return textAnswer(400, 'unable to upgrade: missing upgrade headers in request\n');
}

/** What the API says of a path that no group answers for. */
export function pageNotFound(): Answer {
  return textAnswer(404, '404 page not found\n');
}

/** A Status as it is; `Retry-After` is what makes clients try again. */
export function statusAnswer(status: Status, code = status.code ?? 200): Answer {
  const seconds = status.details?.retryAfterSeconds;
  const answer = jsonAnswer(code, status);
  return seconds ? { ...answer, headers: { 'Retry-After': String(seconds) } } : answer;
}
