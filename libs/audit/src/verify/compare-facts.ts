import type { RecordedEvent } from '#libs/event-log';
import { hiddenData, type Fact } from '#libs/events';
import { jsonEqual, type JsonObject } from '#libs/kernel';

/** What is told of owners. */
export const isOwners = ({ type }: { type: string }): boolean => type === 'ManagedFieldsChanged';

/**
 * As `compareFrames`, but for what is told of owners: that follows from a request, which the log does not have. A write that changes nothing
 * else gives nothing.
 */
export function compareButOwners(
  wanted: readonly (readonly Fact[])[],
  recorded: readonly (readonly RecordedEvent[])[],
): string | undefined {
  const told = <T extends { type: string }>(frames: readonly (readonly T[])[]): T[][] =>
    frames.map((frame) => frame.filter((each) => !isOwners(each))).filter((frame) => frame.length > 0);
  return compareFrames(told(wanted), told(recorded));
}

/** How the recorded frames differ from those made again; undefined when they are equal. */
export function compareFrames(wanted: readonly (readonly Fact[])[], recorded: readonly (readonly RecordedEvent[])[]): string | undefined {
  if (wanted.length !== recorded.length)
    return `the log has ${counted(recorded.length, 'frame')} here; made again there ${wanted.length === 1 ? 'is' : 'are'} ${wanted.length}`;
  for (const [index, facts] of wanted.entries()) {
    const difference = compareFacts(facts, recorded[index] as readonly RecordedEvent[]);
    if (difference) return difference;
  }
  return undefined;
}

export function compareFacts(facts: readonly Fact[], events: readonly RecordedEvent[]): string | undefined {
  if (facts.length !== events.length)
    return `the log has ${counted(events.length, 'event')} here; made again there ${facts.length === 1 ? 'is' : 'are'} ${facts.length}`;
  for (const [index, fact] of facts.entries()) {
    const event = events[index] as RecordedEvent;
    if (fact.type !== event.type) return `the log has ${event.type}; made again it is ${fact.type}`;
    // What is undefined is not in the JSON: looked at again as JSON only where that could be the difference.
    if (!jsonEqual(fact.data, event.data) && !jsonEqual(JSON.parse(JSON.stringify(fact.data)), event.data)) {
      const shown = (data: object): string => excerpt(hiddenData(event.stream, data as JsonObject));
      return `the log has ${event.type} ${shown(event.data)}; made again it is ${shown(fact.data)}`;
    }
  }
  return undefined;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const excerptMax = 300;

function excerpt(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text;
}
