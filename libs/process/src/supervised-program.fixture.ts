import { supervision } from './index';

/** A program as the apps are: it tells its parent how far it has come, and closes as its argument says: `orderly`, `hanging`, or not at all. */
const [manner] = process.argv.slice(2);
const { mayStart, closeWith } = supervision();
const tell = (text: string): void => void (process.connected ? process.send?.(text) : process.stdout.write(`${text}\n`));
// What an app has open keeps it running.
setInterval(() => undefined, 60_000);
if (manner !== 'unfinished') {
  closeWith(async () => {
    await new Promise<void>((resolve) => process.stdout.write('closing\n', () => resolve()));
    if (manner === 'hanging') await new Promise(() => undefined);
    await new Promise<void>((resolve) => process.stdout.write('closed\n', () => resolve()));
  });
}
tell('loaded');
void mayStart.then(() => tell('started'));
