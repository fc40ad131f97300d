// Recordings shared among processes of their own: virtual time takes a whole core.
import { spawn } from 'node:child_process';
import type { SessionResult } from './play-result';

/**
 * Runs this command again for shares of the recordings, side by side.
 * @param kind of recordings, as the command calls it
 * @param ids what is played, each by its name
 * @returns the results as the processes gave them, one process after the other
 */
export async function playApart(kind: string, dir: string, ids: readonly string[], jobs: number): Promise<SessionResult[]> {
  const shares = Array.from({ length: Math.min(jobs, ids.length) }, (_, share) => ids.filter((_id, index) => index % jobs === share));
  const answered = await Promise.all(shares.map((share) => resultsOf([kind, dir, ...share, '--json'])));
  return answered.flat();
}

function resultsOf(args: readonly string[]): Promise<SessionResult[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.once('error', reject);
    child.once('close', () => {
      try {
        resolve((JSON.parse(text) as { results: SessionResult[] }).results);
      } catch (error) {
        reject(new Error('a player ended without its results', { cause: error }));
      }
    });
  });
}
