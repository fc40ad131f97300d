import type { VerifyPart, VerifyProgress } from '#libs/audit';

/** How often a line is written at most, ms. */
const everyMs = 200;

/** How far a verification has come, in one line that is written over again: `42 %, 31,000 events/s, 1:10 left`. */
export class VerifyMeter {
  private readonly began: number;
  private shownAt = 0;
  private readonly parts = new Map<VerifyPart | 'all', VerifyProgress>();

  /**
   * @param until position at which the log ends
   * @param partCount how many work side by side
   * @param write absent: nothing is shown
   */
  constructor(
    private readonly until: number,
    private readonly partCount: number,
    private readonly now: () => number,
    private readonly write?: (text: string) => void,
  ) {
    this.began = now();
  }

  progress(part: VerifyPart | 'all', progress: VerifyProgress): void {
    this.parts.set(part, progress);
    const now = this.now();
    if (!this.write || now - this.shownAt < everyMs) return;
    this.shownAt = now;
    this.write(`\r\x1b[K${this.text(now - this.began)}`);
  }

  end(): void {
    if (this.shownAt > 0) this.write?.('\r\x1b[K');
  }

  private text(ms: number): string {
    let done = 0;
    let events = 0;
    for (const { reading, position, events: read } of this.parts.values()) {
      const share = this.until > 0 ? position / this.until : 1;
      done += (reading - 1 + share) / 2 / this.partCount;
      // In the second reading all events have been read once already: as many as this reading will have read at its end.
      events += share > 0 && reading === 2 ? read + read / share : read;
    }
    const seconds = ms / 1_000;
    const rate = seconds > 0 ? Math.round(events / seconds) : 0;
    const left = done > 0 ? (seconds * (1 - done)) / done : 0;
    return `${Math.floor(done * 100)} %, ${rate.toLocaleString('en')} events/s, ${clock(left)} left`;
  }
}

function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
