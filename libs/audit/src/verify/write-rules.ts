import type { RecordedEvent } from '#libs/event-log';
import { UNSAID_WRITE_RULES_VERSION, WRITE_RULES_VERSION } from '#libs/kube-api';
import type { Findings } from './finding';

/**
 * By which version of the rules each process prepared its writes, as the records of the starts say. What comes out otherwise by the rules here
 * than by those of another version is no wrong of the log: it cannot be proven here. Fed with the first reading.
 */
export class WriteRules {
  /** Writers of another version than the one here. */
  private readonly others = new Map<string, number>();

  /**
   * @param ofRecord gets versions that never were
   * @param findings gets what cannot be proven
   */
  constructor(
    private readonly ofRecord: Findings,
    private readonly findings: Findings,
  ) {}

  /** @param event as EventReader gives it */
  add(event: RecordedEvent): void {
    const { type, data, metadata } = event;
    if (type !== 'ProcessStarted') return;
    const { writeRules: version = UNSAID_WRITE_RULES_VERSION } = data as { writeRules?: number };
    if (version === WRITE_RULES_VERSION) return;
    this.others.set(metadata.writer as string, version);
    if (version >= UNSAID_WRITE_RULES_VERSION && version < WRITE_RULES_VERSION) return;
    const accept = `unknown-version=write-rules@${version}`;
    this.ofRecord.foundAt('Y', event, `no kubereel up to this one had version ${version} of the rules of writes`, { accept });
  }

  /** Whether a write that comes out otherwise here may be right by the rules of its writer; that is noted, then. */
  excuse(writer: string, position: number, text: string): boolean {
    const version = this.others.get(writer);
    if (version === undefined) return false;
    const versions = `prepared by version ${version} of the rules of writes; here they are of ${WRITE_RULES_VERSION}`;
    this.findings.unproven(`other-version=write-rules@${version}`, position, `${versions}: ${text}`);
    return true;
  }
}
