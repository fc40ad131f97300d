import { connect, type TLSSocket } from 'node:tls';
import { AnswerReader, type FuzzAnswer } from './answer';
import type { FuzzRequest } from './requests';
import { serialized } from './wire';

/** Where the server is, and what lets one in. */
export interface Place {
  host: string;
  port: number;
  token: string;
}

/** An answer has to come within this, ms. */
export const patienceMs = 60_000;

/** Undefined: the connection ended, and nobody knows what became of the request. */
export type Answered = (request: FuzzRequest, answer: FuzzAnswer | undefined, problem?: string) => void;

/** One connection over HTTP/1.1, on which several requests are sent before the first is answered. */
export class Pipeline {
  private socket: TLSSocket | undefined;
  private reader = new AnswerReader();
  private waiting: FuzzRequest[] = [];
  private done: (() => void) | undefined;
  connections = 0;

  constructor(
    private readonly place: Place,
    private readonly answered: Answered,
  ) {}

  /** Sends all of them at once; resolves when each is answered or lost. */
  async send(requests: readonly FuzzRequest[]): Promise<void> {
    if (requests.length === 0) return;
    this.socket ??= await this.open();
    const { socket } = this;
    this.waiting = [...requests];
    const { host, port, token } = this.place;
    const timer = setTimeout(() => {
      this.lose(`not answered within ${patienceMs / 1000} s`);
      socket.destroy();
    }, patienceMs);
    await new Promise<void>((resolve) => {
      this.done = resolve;
      socket.write(Buffer.concat(requests.map((request) => serialized(request, `${host}:${port}`, token))));
    });
    clearTimeout(timer);
  }

  close(): void {
    this.socket?.destroy();
  }

  private open(): Promise<TLSSocket> {
    this.connections++;
    this.reader = new AnswerReader();
    return new Promise((resolve, reject) => {
      const socket = connect({ host: this.place.host, port: this.place.port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () =>
        resolve(socket),
      );
      socket.setNoDelay(true);
      socket.on('data', (bytes: Buffer) => this.take(socket, bytes));
      socket.on('error', (error) => {
        reject(error);
        this.ended(socket);
      });
      socket.on('close', () => this.ended(socket));
    });
  }

  private take(socket: TLSSocket, bytes: Buffer): void {
    this.reader.push(bytes);
    for (let request = this.waiting[0]; request; request = this.waiting[0]) {
      let answer: FuzzAnswer | undefined;
      try {
        answer = this.reader.next(request.method === 'HEAD');
      } catch (error) {
        this.lose((error as Error).message);
        socket.destroy();
        return;
      }
      if (!answer) return;
      this.waiting.shift();
      this.answered(request, answer);
      if (answer.closes) {
        this.lose(undefined);
        socket.destroy();
        return;
      }
    }
    this.over();
  }

  private ended(socket: TLSSocket): void {
    if (this.socket === socket) this.socket = undefined;
    // With many requests behind one another, Node may break off a long one: its sender is told by the end of the connection.
    if (this.waiting.length > 0) this.lose(undefined);
  }

  /** What stands behind an answer that is the last one was not read. */
  private lose(problem: string | undefined): void {
    this.socket = undefined;
    const [first, ...others] = this.waiting.splice(0);
    if (first) this.answered(first, undefined, problem);
    for (const request of others) this.answered(request, undefined);
    this.over();
  }

  private over(): void {
    this.done?.();
    this.done = undefined;
  }
}
