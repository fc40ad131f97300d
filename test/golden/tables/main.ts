// `npm run golden -- tables DIR`: recorded tables, partial metadata, selectors and list parameters, each line against an API server of its
// own in this process.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { releaseKinds } from '#libs/kube-api';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { playLists, stepsOfLists } from './list-reads';
import { listsOf, tablesOf, type SetupRequest } from './recording';
import { playTables, stepsOfTables } from './resource-tables';
import { prepared, type Prepared } from './server';

/** Servers at a time. */
const atOnce = 4;

interface Line {
  id: string;
  path: string;
  setup: readonly SetupRequest[];
  total: number;
  play: (server: Prepared) => Promise<StepResult[]>;
}

/** Plays the lines of both files, or those named (`table-jobs`, or `jobs` for short); those of kinds that are not served are skipped. */
export async function playAllTables(
  dir: string,
  names: readonly string[],
  { values }: Pick<PlayOptions, 'values'>,
): Promise<SessionResult[]> {
  const every = Number(values['every'] ?? 1);
  const isWanted = ({ id }: { id: string }, index: number): boolean =>
    names.length === 0 ? index % every === 0 : names.includes(id) || names.includes(id.replace(/^table-/, ''));
  const lines = linesIn(dir).filter(isWanted);
  const results: SessionResult[] = [];
  for (let at = 0; at < lines.length; at += atOnce) results.push(...(await Promise.all(lines.slice(at, at + atOnce).map(playLine))));
  return results;
}

function linesIn(dir: string): Line[] {
  const tables = join(dir, 'tables.jsonl');
  const lists = join(dir, 'lists.jsonl');
  return [
    ...(existsSync(tables) ? tablesOf(tables) : []).map((line) => ({
      ...line,
      total: stepsOfTables(line),
      play: (server: Prepared) => playTables(line, server),
    })),
    ...(existsSync(lists) ? listsOf(lists) : []).map((line) => ({
      ...line,
      total: stepsOfLists(line),
      play: (server: Prepared) => playLists(line, server),
    })),
  ];
}

async function playLine({ id, path, setup, total, play }: Line): Promise<SessionResult> {
  const began = Date.now();
  const result = (): Omit<SessionResult, 'steps'> => ({ session: id, total, seconds: (Date.now() - began) / 1_000 });
  if (!isServed(path)) return { ...result(), steps: [], skipped: `${resourceAt(path)} are not served` };
  let server: Prepared;
  try {
    server = await prepared(setup);
  } catch (error) {
    return { ...result(), steps: [], unplayed: (error as Error).message };
  }
  try {
    return { ...result(), steps: await play(server), seconds: (Date.now() - began) / 1_000 };
  } finally {
    await server.api.close();
  }
}

const collection = /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)\/(?:namespaces\/[^/]+\/)?(?<resource>[^/]+)$/;

function isServed(path: string): boolean {
  const { group = '', version = '', resource = '' } = collection.exec(path)?.groups ?? {};
  return releaseKinds.findResource(group, version, resource)?.served ?? false;
}

const resourceAt = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
