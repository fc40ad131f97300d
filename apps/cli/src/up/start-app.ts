import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { compileBundle, startFromBundle } from '../bundle';

/** V8's own: a function is optimised after so much bytecode has run in it. */
const optimiseAt = 67_584;
/** So long as a process has used little time, functions are optimised later: a fifth of the first thousand pods' time went there. */
const optimiseLateAt = 600_000;
/** What a process has used, ms of processor time, when optimising pays. A start takes a third of it; decision 10 tells what other values cost. */
const busyAfterMs = 1_000;
const lookEveryMs = 1_000;

// Heaps grow in smaller steps, which spares 90 MB in all. A V8 that does not know a flag ignores it.
setFlagsFromString('--heap-growing-percent=40');
setFlagsFromString(`--interrupt-budget=${optimiseLateAt}`);
const looking = setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (user + system < busyAfterMs * 1_000) return;
  setFlagsFromString(`--interrupt-budget=${optimiseAt}`);
  clearInterval(looking);
}, lookEveryMs).unref();

const [app = ''] = process.argv.splice(2, 1);
const main = join(__dirname, '..', '..', '..', app === 'event-store' ? 'cli/src/event-store/store-process.js' : `${app}/src/main.js`);
// `--compile` when it is built: under the flags that it will run under.
if (process.argv[2] === '--compile') void compileBundle(app);
else startFromBundle(app, main);
