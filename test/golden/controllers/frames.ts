// The objects that a step made, recorded and played, matched with each other.
import type { Difference } from '../play-result';
import { Bindings } from './bindings';
import { comparable, recordedForm } from './recorded-form';
import { objectName, type Frame, type ObjectName, type Step } from './recording';
import { unify } from './unify';
import type { Seen, World } from './world';

export class StepFrames {
  /** Recorded creations and ours, with how they differ. */
  readonly matched = new Map<Frame, { seen: Seen; differences: Difference[] }>();
  private readonly taken = new Set<Seen>();

  /** @param from how many changes were seen before the step */
  constructor(
    readonly session: string,
    readonly step: Step,
    private readonly from: number,
  ) {}

  *seen(world: World): Iterable<Seen> {
    for (let index = this.from; index < world.seen.length; index++) yield world.seen[index] as Seen;
  }

  *unmatched(world: World): Iterable<Seen> {
    for (const seen of this.seen(world)) if (seen.type === 'ADDED' && !this.taken.has(seen)) yield seen;
  }

  take(frame: Frame, seen: Seen, differences: Difference[]): void {
    this.matched.set(frame, { seen, differences });
    this.taken.add(seen);
  }
}

/** A request may name an object that no frame has shown: then it is one of those that are there and were not named yet. */
export function matchNamed(path: string, world: World, bindings: Bindings, namespace: string): void {
  const name = path.split('/').find((part) => Bindings.tokensIn(bindings.resolveText(part)).length > 0);
  if (name === undefined) return;
  const resource = path.split('/')[path.split('/').indexOf(name) - 1] ?? '';
  for (const { metadata } of world.simulation.list(resource, namespace)) {
    const found = bindings.match(name, metadata.name);
    if (!found || [...found.values()].some((value) => bindings.isTaken(value))) continue;
    return bindings.learn(found);
  }
}

/** Finds out which of our new objects is which recorded one; what placeholders stand for follows from that. */
export function matchCreated(frames: StepFrames, world: World, bindings: Bindings): void {
  for (const frame of frames.step.frames) {
    if (frame.type !== 'ADDED' || frame.event || frames.matched.has(frame)) continue;
    const recorded = objectName(frame.object, frames.session);
    let best: { seen: Seen; names: Map<string, string>; found: Map<string, string>; differences: Difference[] } | undefined;
    for (const seen of frames.unmatched(world)) {
      const names = isLike(recorded, seen, bindings);
      if (!names) continue;
      const { differences, found } = unify(comparable(frame.set ?? {}, recorded.kind), recordedForm(seen.object, seen.kind), bindings);
      if (!best || differences.length < best.differences.length) best = { seen, names, found, differences };
      if (differences.length === 0) break;
    }
    if (!best) continue;
    bindings.learn(best.names);
    bindings.learn(best.found);
    frames.take(frame, best.seen, best.differences);
  }
}

function isLike(recorded: ObjectName, seen: Seen, bindings: Bindings): Map<string, string> | undefined {
  if (seen.kind !== recorded.kind || (seen.namespace !== '' && seen.namespace !== recorded.namespace)) return undefined;
  return bindings.match(recorded.name, seen.name);
}
