import { parentPort, workerData } from 'node:worker_threads';
import { verify, type KeptSeal, type VerifyPart, type VerifyProgress, type VerifyReport } from '#libs/audit';
import { openEmbeddedLog } from '#libs/event-log';

/** What a worker is asked: one part of the verification of a log in a file. */
export interface VerifyTask {
  part: VerifyPart;
  /** Folder of the log. */
  folder: string;
  cluster: string;
  seed: string | undefined;
  /** Position at which the log ends, for all parts alike. */
  until: number;
  accept: readonly string[];
  seals: readonly KeptSeal[];
  /** Files of scheduler plugins, as absolute paths. */
  schedulerPlugins?: readonly string[];
}

export type VerifyMessage = { progress: VerifyProgress } | { report: VerifyReport };

async function work({ folder, schedulerPlugins, ...task }: VerifyTask): Promise<void> {
  const tell = (message: VerifyMessage): void => parentPort?.postMessage(message);
  const log = await openEmbeddedLog({ folder, readOnly: true });
  try {
    // The record is checked without them: they are a third of the program.
    const controllers = task.part === 'replay' ? await (await import('../up/controllers.js')).controllerFactory({ schedulerPlugins }) : [];
    tell({ report: await verify({ ...task, log, controllers, onProgress: (progress) => tell({ progress }) }) });
  } finally {
    await log.close();
  }
}

if (parentPort) void work(workerData as VerifyTask);
