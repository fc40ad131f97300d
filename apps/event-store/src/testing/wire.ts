import { connect, createServer, type Server, type Socket } from 'node:net';

/** A wire between clients and a server that can be cut, and held: what is under way in either direction is lost, answers included. */
export class Wire {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private held = false;
  /** Where clients connect to; the same after `close` and `open`. */
  port = 0;

  constructor(private readonly target: number) {
    this.server = createServer((near) => {
      if (this.held) {
        this.watch(near);
        near.resume();
        return;
      }
      const far = connect(this.target, '127.0.0.1');
      for (const socket of [near, far]) this.watch(socket);
      near.pipe(far).pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
  }

  get connectionString(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  open(): Promise<void> {
    return new Promise((resolve) => {
      this.server.listen(this.port, '127.0.0.1', () => {
        this.port = (this.server.address() as { port: number }).port;
        resolve();
      });
    });
  }

  /** Ends all connections; new ones are taken. Resolves when the ends have been told. */
  async cut(): Promise<void> {
    const closed = [...this.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(closed);
  }

  /** From now on nothing passes in either direction, and nobody is told: a network that swallows everything. */
  hold(): void {
    this.held = true;
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.removeAllListeners('data').resume();
    }
  }

  /** What was held is cut, what comes anew passes. */
  async release(): Promise<void> {
    this.held = false;
    await this.cut();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    await this.cut();
    await closed;
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
  }
}
