import type { KeyObject } from 'node:crypto';
import { basename } from 'node:path';
import { LogMemory } from '#libs/app-shell/log-memory';
import { isSignedBy, parseSeals, SealLineError, type KeptSeal, type SealLine } from '#libs/audit';
import { CliError } from '../cli-error';
import type { ClusterLog } from '../log/open-cluster-log';
import { givenPublicKey, readFileOf } from './seal-key';

interface SealFlags {
  seal?: readonly string[];
  sealKey?: string;
}

/** A mistake in these flags and files is told before the log is looked for. */
export interface GivenSeals {
  file: string;
  line: number;
  seal: SealLine;
}

/**
 * The seals of the files that `--seal` names.
 * @throws CliError naming file and line of what is no seal, or is not signed by the owner of `--seal-key`
 */
export function givenSeals({ seal: files = [], sealKey }: SealFlags): GivenSeals[] {
  const key = sealKey === undefined ? undefined : givenPublicKey(sealKey);
  if (key && files.length === 0)
    throw new CliError('--seal-key goes with --seal FILE', 'It is the key that the seals in FILE are signed with.', 2);
  return files.flatMap((file) => sealsIn(file, key));
}

/** Those, and what the data folder remembers of its last stop. @throws CliError for the seal of another cluster */
export function keptSeals(given: readonly GivenSeals[], { cluster, folder }: ClusterLog): KeptSeal[] {
  const other = given.find(({ seal }) => seal.cluster !== cluster);
  if (other)
    throw new CliError(
      `${other.file}, line ${other.line}: this is a seal of the cluster "${other.seal.cluster}", and the log is of "${cluster}"`,
      'Give verify the seals of this cluster.',
    );
  const kept = given.map(({ file, line, seal: { position, events, root } }) => ({
    position,
    events,
    root,
    from: `${basename(file)} line ${line}`,
  }));
  const beside = folder === undefined ? undefined : new LogMemory(folder).seal();
  return beside ? [...kept, { ...beside, from: 'what the data folder remembers of its last stop (log.json)', isBeside: true }] : kept;
}

function sealsIn(file: string, key: KeyObject | undefined): GivenSeals[] {
  const text = readFileOf(file);
  try {
    const seals = parseSeals(text).map(({ line, seal }) => ({ file, line, seal }));
    if (seals.length === 0) throw new CliError(`${file} holds no seal`, 'Put one there with: kubereel seal >> FILE');
    const unsigned = key && seals.find(({ seal }) => !isSignedBy(seal, key));
    if (!unsigned) return seals;
    const what = unsigned.seal.signature === undefined ? 'is not signed' : 'is not signed with the key of --seal-key, or was changed since';
    throw new CliError(`${file}, line ${unsigned.line}: this seal ${what}`, 'It proves nothing: look where it comes from.');
  } catch (error) {
    if (!(error instanceof SealLineError)) throw error;
    throw new CliError(
      `${file}, line ${error.line}: ${error.message}`,
      'A file of seals has lines as kubereel seal prints them; # begins a comment.',
    );
  }
}
