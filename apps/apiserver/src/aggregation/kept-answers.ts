/** For so long what another server has said holds, ms of real time; after that it is asked again, and nobody waits for it. */
const holdsMs = 60_000;
/** Things that are kept at most. */
const keptMax = 1_024;

interface Kept<T> {
  value: T;
  /** What it was asked for; another asks anew. */
  cause: unknown;
  /** ms of real time */
  at: number;
}

/** What other servers have said, each asked once for all who want to know. */
export class KeptAnswers<T> {
  private readonly kept = new Map<string, Kept<T>>();
  private readonly asking = new Map<string, { cause: unknown; answer: Promise<T> }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * @param cause what makes an answer of before worthless once it is another
   * @param ask never rejects
   */
  async get(key: string, cause: unknown, ask: (before: T | undefined) => Promise<T>): Promise<T> {
    const known = this.kept.get(key);
    if (!known || known.cause !== cause) return this.ask(key, cause, ask);
    if (this.now() - known.at > holdsMs) void this.ask(key, cause, ask);
    return known.value;
  }

  private ask(key: string, cause: unknown, ask: (before: T | undefined) => Promise<T>): Promise<T> {
    const underWay = this.asking.get(key);
    if (underWay && underWay.cause === cause) return underWay.answer;
    const at = this.now();
    const answer = ask(this.kept.get(key)?.value).then((value) => {
      if (this.asking.get(key)?.answer === answer) this.asking.delete(key);
      this.kept.delete(key);
      this.kept.set(key, { value, cause, at });
      const [oldest] = this.kept.keys();
      if (this.kept.size > keptMax && oldest !== undefined) this.kept.delete(oldest);
      return value;
    });
    this.asking.set(key, { cause, answer });
    return answer;
  }
}
