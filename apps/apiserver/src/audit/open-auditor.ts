import { Logger } from '@nestjs/common';
import type { AuditOptions } from '#libs/app-shell';
import type { AuditPolicy } from '#libs/kube-api/audit';
import { Auditor, type AuditSink } from './auditor';
import type { AuditFormat } from './record';
import { RotatingFile } from './rotating-file';

const standardOutput: AuditSink = { write: (line) => void process.stdout.write(line), close: () => undefined };

/**
 * @param now ms since the epoch, of the cluster
 * @throws Error where the log cannot be opened
 */
export function openAuditor({ policy, path, format, ...bounds }: AuditOptions, now: () => number): Auditor {
  const logger = new Logger('audit');
  const tell = (trouble: Error | undefined): void =>
    trouble ? logger.error(`requests go unrecorded: ${trouble.message}`) : logger.log('requests are recorded again');
  // Files are of the machine's time, as their names tell it to whoever looks after the disk.
  const sink = path === '-' ? standardOutput : new RotatingFile({ path, ...bounds }, Date.now, tell);
  return new Auditor(policy as AuditPolicy, format as AuditFormat, sink, now);
}
