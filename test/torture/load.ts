import { markAnnotation, type Operation, type Recorder } from './recorded-operation';

/** Chance with a seed, so that a failing run can be had again (xorshift32). */
export function seeded(seed: number): (bound: number) => number {
  let state = seed || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

export interface LoadOptions {
  rounds: number;
  clients: number;
  seed: number;
  /** Ends the load early. */
  until?: () => boolean;
}

/** Longest pause of a client between two requests about the same object, ms: about the time that a binding takes. */
const pauseMsMax = 12;
/** As much as a container takes to start, and more. */
const startedMs = 500;
/** Names that all clients fight over. */
const sharedNames = 3;
/** Seconds of grace: long enough that a pod which lost it is told from one that ended in time. */
const graceSeconds = 30;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @param stubborn its container ignores TERM, so that it is there until its grace, then a short one, is over. */
export function podOf(name: string, stubborn = false): (mark: string) => object {
  const behaviour = stubborn ? { 'kubereel.dev/on-term': 'ignore' } : {};
  const terminationGracePeriodSeconds = stubborn ? 1 : graceSeconds;
  return (mark) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: { [markAnnotation]: mark, ...behaviour } },
    spec: { containers: [{ name: 'c', image: 'app:1' }], terminationGracePeriodSeconds },
  });
}

export function configMapOf(name: string, finalizers?: string[]): (mark: string) => object {
  const metadata = { name, annotations: {}, ...(finalizers ? { finalizers } : {}) };
  return (mark) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, annotations: { [markAnnotation]: mark } },
    data: { round: name },
  });
}

/** Rounds of clients that get in one another's way; resolves when each has had its last answer. */
export async function runLoad(recorder: Recorder, { rounds, clients, seed, until = () => false }: LoadOptions): Promise<void> {
  const chance = seeded(seed);
  let next = 0;
  const kinds = [podWhileBound, podWhileBound, finalizerAgainstDelete, finalizerAgainstDelete, finalizersTakenAway, sharedObject];
  const clientLoop = async (): Promise<void> => {
    for (let round = next++; round < rounds && !until(); round = next++) {
      await (kinds[chance(kinds.length)] as RoundKind)(recorder, round, chance);
    }
  };
  await Promise.all(Array.from({ length: clients }, clientLoop));
}

type RoundKind = (recorder: Recorder, round: number, chance: (bound: number) => number) => Promise<unknown>;

/** A pod is deleted while it is being bound, sometimes twice, sometimes while somebody labels it. */
async function podWhileBound(recorder: Recorder, round: number, chance: (bound: number) => number): Promise<void> {
  const name = `pod-${round}`;
  await recorder.create('pods', name, podOf(name, chance(4) === 0));
  const others: Promise<Operation>[] = [];
  if (chance(3) === 0) others.push(recorder.patch('pods', name));
  await pause(chance(8) === 0 ? startedMs : chance(pauseMsMax));
  others.push(recorder.delete('pods', name));
  if (chance(3) === 0) others.push(recorder.delete('pods', name));
  if (chance(3) === 0) others.push(recorder.get('pods', name));
  await Promise.all(others);
}

/** A finalizer comes while the object is being deleted; who is held is let go afterwards. */
async function finalizerAgainstDelete(recorder: Recorder, round: number, chance: (bound: number) => number): Promise<void> {
  const name = `held-${round}`;
  await recorder.create('configmaps', name, configMapOf(name));
  const asked = [() => recorder.patch('configmaps', name, ['torture/hold']), () => recorder.delete('configmaps', name)];
  if (chance(2) === 0) asked.reverse();
  if (chance(3) === 0) asked.push(() => recorder.patch('configmaps', name));
  await Promise.all(asked.map((ask) => ask()));
  await recorder.get('configmaps', name);
  await recorder.patch('configmaps', name, []);
  await recorder.delete('configmaps', name);
}

/** An object with a finalizer is deleted while its finalizer is taken away. */
async function finalizersTakenAway(recorder: Recorder, round: number, chance: (bound: number) => number): Promise<void> {
  const name = `freed-${round}`;
  await recorder.create('configmaps', name, configMapOf(name, ['torture/hold']));
  const asked = [
    () => recorder.delete('configmaps', name),
    () => recorder.patch('configmaps', name, []),
    () => recorder.patch('configmaps', name),
  ];
  if (chance(2) === 0) asked.reverse();
  await Promise.all(asked.map((ask) => ask()));
  await recorder.delete('configmaps', name);
}

/** Anything, on names that everybody uses. */
async function sharedObject(recorder: Recorder, _round: number, chance: (bound: number) => number): Promise<void> {
  for (let i = 0; i < 4; i++) {
    const name = `shared-${chance(sharedNames)}`;
    const kind = chance(6);
    if (kind < 2) await recorder.create('configmaps', name, configMapOf(name));
    else if (kind === 2) await recorder.delete('configmaps', name);
    else if (kind === 3) await recorder.get('configmaps', name);
    else if (kind === 4) await recorder.patch('configmaps', name, [`torture/hold-${chance(2)}`]);
    else await recorder.patch('configmaps', name, []);
  }
}
