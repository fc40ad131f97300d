import { stay } from '../terminal/stay';
import type { RunningControlPlane } from './running-control-plane';

/** A stop takes at most this, ms, open watches or not. */
const stopMaxMs = 1_800;

/**
 * Runs until a signal asks it to stop; a second one ends it at once.
 * @param onStopped called before the process ends well
 * @returns stops it as a signal does
 */
export function stopOnSignal(running: RunningControlPlane, onStopped: () => void = () => undefined): () => void {
  stay();
  let stopping = false;
  const stopped = (): void => {
    onStopped();
    process.exit(0);
  };
  const stop = (): void => {
    if (stopping) process.exit(0);
    stopping = true;
    setTimeout(stopped, stopMaxMs);
    running.close().then(stopped, (error: Error) => {
      process.stderr.write(`kubereel: ${error.message}\n`);
      process.exit(1);
    });
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return stop;
}
