import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { BreakableLine } from './breakable-line';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A line to a server that sends back what it gets. */
async function lineToEcho(): Promise<BreakableLine> {
  const echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => echo.close(resolve)));
  const line = await BreakableLine.to({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
  ends.push(() => line.end());
  return line;
}

const heard = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.once('data', (bytes: Buffer) => resolve(bytes.toString())));
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
const steer = async (line: BreakableLine, deed: string): Promise<number> =>
  (await fetch(`${line.controlUrl}/${deed}`, { method: 'POST' })).status;

it('breaks what is open, refuses while it is closed, and lets through again', async () => {
  const line = await lineToEcho();
  const first = connect(line.port, '127.0.0.1');
  first.write('a');
  expect(await heard(first)).toBe('a');
  const broken = closed(first);
  expect(await steer(line, 'close')).toBe(204);
  await broken;
  await closed(connect(line.port, '127.0.0.1'));
  expect(await steer(line, 'open')).toBe(204);
  const second = connect(line.port, '127.0.0.1');
  second.write('b');
  expect(await heard(second)).toBe('b');
  const cut = closed(second);
  expect(await steer(line, 'cut')).toBe(204);
  await cut;
  expect(await steer(line, 'bend')).toBe(404);
});
