import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { joinReports, type VerifyPart, type VerifyProgress, type VerifyReport } from '#libs/audit';
import type { VerifyMessage, VerifyTask } from './verify-worker';

/** Young objects of a worker, MB: most of what is read of an event is gone with it, and a larger space only takes memory. */
const youngMbMax = 8;

/** Verifies a log in a file by two workers side by side, each of which reads it for itself: nothing is shared but the file. */
export async function verifyInParts(
  task: Omit<VerifyTask, 'part'>,
  onProgress: (part: VerifyPart, progress: VerifyProgress) => void,
): Promise<VerifyReport> {
  // As for the apps: heaps grow in smaller steps. A V8 that does not know the flag ignores it.
  setFlagsFromString('--heap-growing-percent=40');
  const [record, replay] = await Promise.all(
    (['record', 'replay'] as const).map((part) => verifyPart({ ...task, part }, (progress) => onProgress(part, progress))),
  );
  return joinReports(record as VerifyReport, replay as VerifyReport);
}

function verifyPart(task: VerifyTask, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(__dirname, 'verify-worker.js'), {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: youngMbMax },
    });
    worker.on('message', (message: VerifyMessage) => {
      if ('progress' in message) onProgress(message.progress);
      else resolve(message.report);
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error(`verify (${task.part}) ended without a report`)));
  });
}
