import { resolve } from 'node:path';
import { growLog } from './grow-log';

/**
 * `npm run large-log -- FOLDER EVENTS`: a new data folder (for `kubereel up`, `verify`, `why` …) whose log has at least so many
 * events.
 */
async function main([folder, count]: string[]): Promise<void> {
  const events = Number(count?.replaceAll('_', ''));
  if (folder === undefined || !Number.isInteger(events)) {
    console.error('usage: npm run large-log -- FOLDER EVENTS');
    process.exit(2);
  }
  const began = performance.now();
  const progress = (done: number): void => {
    const seconds = (performance.now() - began) / 1000;
    process.stderr.write(`\r${done} events, ${Math.round(seconds)} s `);
  };
  const grown = await growLog(resolve(folder), events, progress);
  process.stderr.write('\n');
  console.log(JSON.stringify({ folder: resolve(folder), ...grown, seconds: Math.round((performance.now() - began) / 1000) }));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
