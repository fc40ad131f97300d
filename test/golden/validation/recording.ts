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
  body?: unknown;
  /** Verbatim, where parsed JSON could not carry it. */
  bodyText?: string;
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
}

const lines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

export const casesOf = (file: string): Case[] => lines<Case>(file);
export const basesOf = (file: string): Base[] => lines<Base>(file);
export const requestsOf = (file: string): { method: string; path: string; body: unknown }[] =>
  JSON.parse(readFileSync(file, 'utf8')) as { method: string; path: string; body: unknown }[];
