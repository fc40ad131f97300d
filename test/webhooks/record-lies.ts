// `node … test/webhooks/record-lies.ts URL TOKEN FILE`: records what clients of a server see when webhooks lie.
import { writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import 'reflect-metadata';
import { configure, Liar, linesOf, play, playAll, type Seen, type Send } from './play-lies';

async function main([url = '', token = '', file = '']: readonly string[]): Promise<void> {
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 4 });
  const { hostname, port } = new URL(url);
  const send: Send = ({ method, path, body }) =>
    new Promise((done, failed) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'lies' };
      const request = httpsRequest({ host: hostname, port, method, path, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, headers: response.headersDistinct, body: Buffer.concat(chunks).toString() }),
        );
      });
      request.on('error', failed);
      request.end(body);
    });
  const liar = await Liar.start();
  await configure(send, liar);
  // A real server hears of new webhooks a little later.
  await new Promise((done) => setTimeout(done, 3_000));
  const failed = (error: Error): Seen => ({ status: 0, body: error.message, calls: 0 });
  writeFileSync(file, linesOf(await playAll((each) => play(send, liar, each).catch(failed), 4)));
  liar.close();
  agent.destroy();
}

void main(process.argv.slice(2));
