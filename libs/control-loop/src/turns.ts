/** One at a time by key, in the order of asking. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();

  /** Resolves when it is one's turn, with how to end it. */
  async take(key: string): Promise<() => void> {
    const before = this.last.get(key);
    let end: () => void = () => undefined;
    const own = new Promise<void>((resolve) => (end = resolve));
    this.last.set(key, own);
    await before;
    return () => {
      if (this.last.get(key) === own) this.last.delete(key);
      end();
    };
  }
}
