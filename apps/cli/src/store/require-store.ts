import { connectEventStoreDb } from '#libs/event-log';
import { CliError } from '../cli-error';
import { withoutPassword } from './store-address';

/** How long the first answer may take, ms. */
const answerMsMax = 2_500;

/** @throws CliError when no event store answers at the address, within three seconds */
export async function requireStore(url: string): Promise<void> {
  const log = connectEventStoreDb({ connectionString: url });
  try {
    const availability = await log.check(answerMsMax);
    if (availability.available) return;
    throw new CliError(
      `${withoutPassword(url)}: ${availability.reason}`,
      'Start the store or correct its address. One of your own: kubereel event-store --port 2113 --data DIR',
    );
  } finally {
    await log.close();
  }
}
