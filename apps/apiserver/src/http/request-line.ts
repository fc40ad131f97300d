import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Waiting {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * The requests of one HTTP/1.x connection, served one after the other as Go's server does: whoever sends a second request behind the
 * first means it to come second. What follows a request and is none is answered after it, never instead of it.
 */
export class RequestLine {
  private readonly waiting: Waiting[] = [];
  private current: Waiting | undefined;
  private last: string | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly pipelinedMax: number,
    private readonly serve: (request: IncomingMessage, response: ServerResponse) => void,
  ) {}

  enter(request: IncomingMessage, response: ServerResponse): void {
    if (this.waiting.length >= this.pipelinedMax) {
      this.socket.destroy();
      return;
    }
    this.waiting.push({ request, response });
    this.next();
  }

  get isBusy(): boolean {
    return this.current !== undefined;
  }

  /** What came is no request: `answer` (a whole response) is sent once those that came whole have theirs, and is the last. */
  fail(answer: string): void {
    if (this.last !== undefined) return;
    this.last = answer;
    // The request that broke off is the last; nothing is done on its behalf any more.
    if (this.waiting.at(-1)?.request.complete === false) this.waiting.pop();
    if (this.current && !this.current.request.complete) this.end();
    else this.next();
  }

  private next(): void {
    if (this.current) return;
    this.current = this.waiting.shift();
    if (!this.current) {
      if (this.last !== undefined) this.end();
      return;
    }
    const { request, response } = this.current;
    response.once('close', () => {
      this.current = undefined;
      this.next();
    });
    this.serve(request, response);
  }

  private end(): void {
    const { socket, current } = this;
    // Behind the beginning of an answer nobody would take it for one.
    if (!socket.writable || current?.response.headersSent) socket.destroy();
    else socket.end(this.last ?? '', () => socket.destroy());
  }
}

const answers: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What a connection is told before it is closed, by the code of the parser's error. */
export function lastAnswer(code: string | undefined): string {
  const line = answers[code ?? ''] ?? '400 Bad Request';
  return `HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`;
}
