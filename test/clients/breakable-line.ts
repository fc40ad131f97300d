import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A line to the API server that can be broken on purpose. Bytes pass as they are, TLS and all. Programs in other languages steer it with
 * a POST to {@link controlUrl}: `/cut` breaks every connection at once, `/close` also refuses new ones, `/open` lets them through again.
 */
export class BreakableLine {
  private readonly sockets = new Set<Socket>();
  private isClosed = false;

  private constructor(
    private readonly relay: Server,
    private readonly control: HttpServer,
  ) {}

  static async to(target: { host: string; port: number }): Promise<BreakableLine> {
    const relay = createServer();
    const control = createHttpServer();
    const line = new BreakableLine(relay, control);
    relay.on('connection', (near) => line.join(near, target));
    control.on('request', (request, response) => {
      const deed = { '/cut': () => line.cut(), '/close': () => line.close(), '/open': () => line.open() }[request.url ?? ''];
      deed?.();
      response.writeHead(deed ? 204 : 404, { connection: 'close' }).end();
    });
    await Promise.all([relay, control].map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
    return line;
  }

  get port(): number {
    return (this.relay.address() as AddressInfo).port;
  }

  get controlUrl(): string {
    return `http://127.0.0.1:${(this.control.address() as AddressInfo).port}`;
  }

  /** Breaks what is open; who tries again gets through. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.isClosed = true;
    this.cut();
  }

  open(): void {
    this.isClosed = false;
  }

  async end(): Promise<void> {
    this.cut();
    this.control.closeAllConnections();
    await Promise.all([this.relay, this.control].map((server) => new Promise((resolve) => server.close(resolve))));
  }

  private join(near: Socket, target: { host: string; port: number }): void {
    if (this.isClosed) {
      near.destroy();
      return;
    }
    const far = connect(target);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.setNoDelay(true);
      socket.pipe(other);
    }
  }
}
