import { readFileSync } from 'node:fs';
import { CliError } from '../cli-error';

/** How a user says which event store is meant. */
export interface StoreFlags {
  eventStore?: string;
  eventStoreFile?: string;
}

export interface StoreAddress {
  /** `esdb://…`, with its password when it has one: for the client, never for a message. */
  url: string;
  from: 'flag' | 'file' | 'environment' | 'folder';
}

export const storeVariable = 'KUBEREEL_EVENT_STORE';

const form = /^((?:esdb|kurrentdb)(?:\+discover)?:\/\/)(?:([^/?]*)@)?(.+)$/;
const example = 'Write it as esdb://HOST:2113, esdb://USER:PASSWORD@HOST:2113, or with ?tls=false at the end for a store without TLS.';
const fileBytesMax = 64 * 1024;

/**
 * The address that was given: on the command line, in a file, or in the environment; the first of them counts.
 * @throws CliError when it is none
 */
export function givenStore({ eventStore, eventStoreFile }: StoreFlags, env: NodeJS.ProcessEnv = process.env): StoreAddress | undefined {
  if (eventStore !== undefined && eventStoreFile !== undefined) {
    throw new CliError('--event-store and --event-store-file exclude each other', 'The file holds the address: give that alone.', 2);
  }
  if (eventStore !== undefined) return { url: checked(eventStore, '--event-store'), from: 'flag' };
  if (eventStoreFile !== undefined) return { url: checked(contentOf(eventStoreFile), eventStoreFile), from: 'file' };
  const variable = env[storeVariable];
  return variable ? { url: checked(variable, storeVariable), from: 'environment' } : undefined;
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, fileBytesMax).trim();
  } catch (error) {
    throw new CliError(`--event-store-file: ${(error as Error).message}`, 'A file with the address of the store, esdb://…, in it.', 2);
  }
}

function checked(url: string, place: string): string {
  if (!form.test(url) || /\s/.test(url))
    throw new CliError(`${place}: this is no address of an event store: ${withoutPassword(url)}`, example, 2);
  return url;
}

/** The address for a message, or to be remembered: with the name of its user, without the password. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/([^/?]*)@/, (_, user: string) => {
    const name = user.split(':')[0];
    return name ? `//${name}@` : '//';
  });
}

export function hasPassword(url: string): boolean {
  return /\/\/[^/?]*:[^/?]*@/.test(url);
}

/** What to say when a password stands where everybody on the machine can read it. */
export function exposedPassword({ url, from }: StoreAddress): string | undefined {
  if (from !== 'flag' || !hasPassword(url)) return undefined;
  return `the password in --event-store can be read by everybody on this machine (ps); give the address in ${storeVariable}, or in a file: --event-store-file FILE`;
}

/**
 * The store of a cluster whose folder remembers it, opened with the password that was given for this call.
 * @throws CliError when a password is needed and none was given
 */
export function rememberedStore(remembered: string, given: StoreAddress | undefined): StoreAddress {
  if (given) return given;
  const user = form.exec(remembered)?.[2];
  if (user && !hasPassword(remembered)) {
    throw new CliError(
      `the cluster's event store ${remembered} asks for the password of ${user}, which the data folder does not keep`,
      `Give the address with it in ${storeVariable}, or in a file: --event-store-file FILE.`,
    );
  }
  return { url: remembered, from: 'folder' };
}
