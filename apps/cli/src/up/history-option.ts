import { quantityValue, parseQuantity } from '#libs/kernel';
import { CliError } from '../cli-error';

/** What a cluster in memory keeps of its history when nothing is said, bytes: the lives of some 50,000 pods at about 5.1 KB each. */
const historyDefault = '256Mi';
/** Less would not hold what a reader needs while it reads, bytes. */
const historyBytesMin = 1024 * 1024;

/**
 * `--history 512Mi`, or `all`: bytes of history that a cluster in memory keeps; undefined: all of it.
 * @throws CliError when it is no size, or when the log is not in memory, where nothing is ever let go of.
 */
export function parseHistory(text: string | undefined, inMemory: boolean): number | undefined {
  if (text !== undefined && !inMemory) {
    throw new CliError(
      '--history bounds what a cluster in memory keeps',
      'Give it with --ephemeral (without --split); in a data folder everything is kept.',
      2,
    );
  }
  if (text === 'all') return undefined;
  const asked = text ?? historyDefault;
  const bytes = parseQuantity(asked) ? quantityValue(asked) : Number.NaN;
  if (!(bytes >= historyBytesMin)) throw new CliError(`--history: "${asked}" is no size`, 'A size of at least 1Mi, e.g. 512Mi, or all.', 2);
  return bytes;
}
