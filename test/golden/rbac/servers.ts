// One server of ours for as long as it takes, and clients that speak to it as somebody.
import { Client } from '../api/play/client';
import { startServer, type Server } from '../api/play/server';

export interface CasePlay {
  server: Server;
  client: Client;
}

/** What the recorded servers were told to be. */
const asRecorded = ['--service-account-issuer', 'https://kubernetes.default.svc', '--disable-admission-plugins', 'NodeRestriction'];

/** @param runs what stands beside the API server: `apiserver`, `apiserver+controller-manager` */
export async function withServer<Result>(
  runs: string,
  verifies: boolean,
  play: (given: CasePlay) => Promise<Result>,
): Promise<{ result: Result; problem?: string }> {
  const server = await startServer(runs, undefined, { verifies, flags: asRecorded });
  const client = new Client(server.target);
  let stopped = false;
  try {
    const result = await play({ server, client });
    stopped = true;
    return { result, problem: await server.stop() };
  } finally {
    client.close();
    if (!stopped) await server.stop();
  }
}
