import { SpdySession, type BytePipe, type SpdyStream } from '../spdy/session';
import type { Channels } from './channels';
import type { PortService } from './service';

function portOf(text: string | undefined): number | undefined {
  const port = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** port-forward over SPDY: two streams a connection, one for its bytes and one for what goes wrong, told apart by a request id. */
export function forwardOverSpdy(service: PortService, pipe: BytePipe): void {
  const halves = new Map<string, SpdyStream>();
  const session = new SpdySession(pipe, (stream) => {
    const type = stream.headers.get('streamtype');
    const port = portOf(stream.headers.get('port'));
    if (port === undefined || (type !== 'data' && type !== 'error')) return false;
    // Old clients send no id: their two streams follow each other.
    const request = stream.headers.get('requestid') ?? String(type === 'error' ? stream.id : stream.id - 2);
    const other = halves.get(request);
    if (!other) {
      halves.set(request, stream);
      return true;
    }
    halves.delete(request);
    const [data, error] = type === 'data' ? [stream, other] : [other, stream];
    queueMicrotask(() => forward(service, port, data, error, () => session.forget(data, error)));
    return true;
  });
}

function forward(service: PortService, port: number, data: SpdyStream, error: SpdyStream, over: () => void): void {
  const connection = service.connect(port);
  if (typeof connection === 'string') {
    error.write(Buffer.from(connection));
    error.end();
    data.reset();
    over();
    return;
  }
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    data.end();
    error.end();
    over();
  };
  error.listen(() => undefined);
  data.listen((bytes) => {
    if (isOver) return;
    if (bytes === undefined) {
      end();
      return;
    }
    const answer = connection.input(bytes);
    data.write(answer.bytes);
    if (answer.isOver) end();
  });
}

/** port-forward over channels: two for each port that the query names, both beginning with the port's number. */
export function forwardOverChannels(service: PortService, ports: readonly number[], channels: Channels): void {
  const number = (port: number): Buffer => Buffer.from([port & 255, port >> 8]);
  ports.forEach((port, index) => {
    channels.send(2 * index, number(port));
    channels.send(2 * index + 1, number(port));
  });
  const connections = ports.map((port) => service.connect(port));
  let open = ports.length;
  const done = (): void => {
    if (--open === 0) channels.close();
  };
  const isOver = connections.map((connection, index) => {
    if (typeof connection !== 'string') return false;
    channels.send(2 * index + 1, Buffer.from(connection));
    return true;
  });
  channels.listen((channel, bytes) => {
    const index = channel >> 1;
    const connection = connections[index];
    if (channel % 2 === 1 || bytes === undefined || isOver[index] || !connection || typeof connection === 'string') return;
    const answer = connection.input(bytes);
    if (answer.bytes.length > 0) channels.send(channel, answer.bytes);
    if (!answer.isOver) return;
    isOver[index] = true;
    done();
  });
  for (const over of isOver) if (over) done();
}
