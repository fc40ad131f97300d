// The files of recorded validation, typed (see the README beside the recordings).
import { readFileSync } from 'node:fs';

/** A request that changes nothing, and what was answered to it. */
export interface Case {
  case: string;
  /** `apps/v1 Deployment` */
  kind: string;
  /** What was done to the valid object, for people. */
  note: string;
  path: string;
  query?: string;
  /** As text: numbers beyond 2^53 would not survive being parsed. */
  bodyText: string;
  /** Of an update: the object that is there. */
  base?: string;
  status: number;
  warnings?: string[];
  /** The parts of the message came in any order. */
  unordered?: boolean;
  answer: unknown;
}

/** An object that is there before the updates. */
export interface Base {
  base: string;
  kind: string;
  path: string;
  name: string;
  create: unknown;
  /** Options of a deletion that a finalizer holds up. */
  delete?: unknown;
  status?: unknown;
  /** As it was read. */
  stored: { status?: unknown; metadata: { creationTimestamp?: string } };
}

const lines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

export function casesOf(file: string): Case[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const example = JSON.parse(line) as Case & { body?: unknown };
      return { ...example, bodyText: example.bodyText ?? rawBody(line) };
    });
}

const bodyKey = ',"body":';

/** The text of `body` in a line, whatever JSON it is. */
function rawBody(line: string): string {
  const start = line.indexOf(bodyKey) + bodyKey.length;
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < line.length; at++) {
    const character = line[at] as string;
    if (isQuoted) {
      if (character === '\\') at++;
      else if (character === '"') isQuoted = false;
    } else if (depth === 0 && (character === ',' || character === '}')) return line.slice(start, at);
    else if (character === '"') isQuoted = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
  }
  throw new Error(`no body in ${line.slice(0, 200)}`);
}

export const basesOf = (file: string): Base[] => lines<Base>(file);
export const requestsOf = (file: string): { method: string; path: string; body: unknown }[] =>
  JSON.parse(readFileSync(file, 'utf8')) as { method: string; path: string; body: unknown }[];
