import type { FoldedAppend, ObjectChange } from '#libs/cluster-state';
import type { Fact } from '#libs/events';
import type { ObjectKey } from '#libs/kernel';

export interface Deed {
  /** On whose behalf it was done, and to be told. */
  subject: ObjectKey;
  report: Fact;
}

/**
 * What a controller has done and not yet told of. Deeds are read from the log, not from the intention, so only what came about
 * is reported; the report is recorded with the next decision on the subject, and is off the list once that is folded.
 * A restart forgets what was not told, as upstream's recorders do.
 */
export class Deeds {
  private readonly untold = new Map<ObjectKey, Fact[]>();

  /**
   * @param actor whose deeds these are
   * @param deedOf what a change made by the actor was, if it is worth telling; all deeds of a change are on behalf of one subject
   */
  constructor(
    private readonly actor: string,
    private readonly deedOf: (change: ObjectChange, append: FoldedAppend) => Deed | readonly Deed[] | undefined,
  ) {}

  /** Gives the subject that has something to tell now. */
  follow(append: FoldedAppend): ObjectKey | undefined {
    const { metadata } = append.events[0] as FoldedAppend['events'][number];
    if (metadata.actor !== this.actor) return undefined;
    if (!append.change) {
      this.told(append);
      return undefined;
    }
    const found = this.deedOf(append.change, append);
    const deeds = found === undefined ? [] : 'report' in found ? [found] : found;
    for (const { subject, report } of deeds) {
      const facts = this.untold.get(subject);
      if (facts) facts.push(report);
      else this.untold.set(subject, [report]);
    }
    return deeds[0]?.subject;
  }

  of(subject: ObjectKey): readonly Fact[] {
    return this.untold.get(subject) ?? [];
  }

  private told(append: FoldedAppend): void {
    const messages = new Map<ObjectKey, Set<unknown>>();
    for (const { type, data } of append.events) {
      if (type !== 'Reported') continue;
      const subject = `${data.namespace}/${data.name}`;
      const told = messages.get(subject);
      if (told) told.add(data.message);
      else messages.set(subject, new Set([data.message]));
    }
    for (const [subject, told] of messages) {
      const rest = this.of(subject).filter((fact) => !told.has(fact.data.message));
      if (rest.length > 0) this.untold.set(subject, rest);
      else this.untold.delete(subject);
    }
  }
}
