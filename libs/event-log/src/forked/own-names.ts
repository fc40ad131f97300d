import type { EventFilter } from '../port';

/**
 * The names of a fork's streams in the log that stores its own part: in a log of its own as they are, in a store that it shares with its
 * parent under a prefix of its own.
 */
export class OwnNames {
  /** @param stored stands for `shown` at the beginning of names, e.g. `fork_1.` for `local.` */
  constructor(
    private readonly shown = '',
    private readonly stored = '',
  ) {}

  /** @throws RangeError for a stream that is not of the cluster that was forked */
  toStored(stream: string): string {
    if (!stream.startsWith(this.shown)) throw new RangeError(`"${stream}" is no stream of the fork: its names begin with "${this.shown}"`);
    return this.stored + stream.slice(this.shown.length);
  }

  toShown(stream: string): string {
    return this.shown + stream.slice(this.stored.length);
  }

  /** The same events, by their stored names; nothing else of a store that others use too. */
  filter(filter: EventFilter | undefined): EventFilter | undefined {
    if (this.shown === this.stored) return filter;
    const prefixes = (wanted: readonly string[]): string[] =>
      wanted.flatMap((prefix) => {
        if (prefix.startsWith(this.shown)) return [this.toStored(prefix)];
        return this.shown.startsWith(prefix) ? [this.stored] : [];
      });
    const { streamPrefixes = [''], exceptPrefixes } = filter ?? {};
    return { streamPrefixes: prefixes(streamPrefixes), ...(exceptPrefixes ? { exceptPrefixes: prefixes(exceptPrefixes) } : {}) };
  }
}
