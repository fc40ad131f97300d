import type { Correlation } from './correlation';

/** What those who report remember of an object. */
export interface Remembered {
  /** What the scheduler said last of a pod: an attempt that ends as the last one did does not repeat it. */
  message?: string;
  correlation?: Correlation;
}

/** Objects of which recorders remember what they told (client-go's caches hold as much); the one not told of for longest is forgotten first. */
const correlationsMax = 4_096;

/** What reporters remember of objects, by uid. */
export class ReporterMemory {
  private readonly messages = new Map<string, string>();
  private readonly correlations = new Map<string, Correlation>();

  get(uid: string): Remembered | undefined {
    const [message, correlation] = [this.messages.get(uid), this.correlations.get(uid)];
    if (message === undefined && correlation === undefined) return undefined;
    return { ...(message === undefined ? {} : { message }), ...(correlation ? { correlation } : {}) };
  }

  message(uid: string): string | undefined {
    return this.messages.get(uid);
  }

  setMessage(uid: string, message: string): void {
    this.messages.set(uid, message);
  }

  correlation(uid: string): Correlation | undefined {
    return this.correlations.get(uid);
  }

  setCorrelation(uid: string, correlation: Correlation): void {
    this.correlations.delete(uid);
    if (this.correlations.size >= correlationsMax) this.correlations.delete(this.correlations.keys().next().value as string);
    this.correlations.set(uid, correlation);
  }

  /** As it was once. */
  restore(uid: string, { message, correlation }: Remembered): void {
    if (message !== undefined) this.messages.set(uid, message);
    if (correlation) this.correlations.set(uid, correlation);
  }

  forget(uid: string): void {
    this.messages.delete(uid);
    this.correlations.delete(uid);
  }
}
