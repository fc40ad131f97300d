import { createPublicKey, type KeyObject } from 'node:crypto';
import { TornAppendError, type Seal } from '#libs/cluster-state';
import { makeSeal, publicKeyText, sealLine } from '#libs/audit';
import { CliError } from '../cli-error';
import { demandWhole, openClusterLog, type ClusterLog } from '../log/open-cluster-log';
import type { SealFlags } from './seal-flags';
import { clusterKey, givenKey } from './seal-key';

/** `kubereel seal`. @throws CliError when there is no such log, or no key to sign with */
export async function printSeal(flags: SealFlags): Promise<void> {
  const given = flags.key === undefined ? undefined : givenKey(flags.key);
  const place = await openClusterLog(flags);
  const { log, cluster, folder } = place;
  try {
    const key = given ?? (folder === undefined || !flags.signature ? undefined : clusterKey(folder));
    if (flags.publicKey) {
      process.stdout.write(`${publicKeyText(createPublicKey(demandKey(key, place)))}\n`);
      return;
    }
    demandWhole(place, 'seal');
    const seal = await sealOf(place, flags.whole === true);
    const signed = flags.signature ? key : undefined;
    if (flags.signature && !signed) process.stderr.write(`kubereel: not signed: ${noKeyBecause(place)} (sign with --key FILE)\n`);
    process.stdout.write(`${sealLine({ cluster, ...seal }, signed)}\n`);
  } finally {
    await log.close();
  }
}

async function sealOf({ log, cluster, place }: ClusterLog, whole: boolean): Promise<Seal> {
  let seal: Seal | undefined;
  try {
    seal = await makeSeal(log, cluster, { whole });
  } catch (error) {
    if (error instanceof TornAppendError)
      throw new CliError(`the log in ${place} is damaged: ${error.message}`, 'See all that is not as it was written: kubereel verify');
    throw error;
  }
  if (seal) return seal;
  throw new CliError(`the log in ${place} is empty`, 'There is nothing to seal.');
}

function demandKey(key: KeyObject | undefined, place: ClusterLog): KeyObject {
  if (key) return key;
  throw new CliError(`there is no key: ${noKeyBecause(place)}`, 'Name a private key with --key FILE.');
}

function noKeyBecause({ folder, place }: ClusterLog): string {
  return folder === undefined ? `${place} is no data folder, which would hold one` : `none can be kept in ${folder}`;
}
