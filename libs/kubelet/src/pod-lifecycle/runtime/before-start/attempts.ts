import { pulledMessage } from '#libs/cluster-state';
import { podBehaviourOf } from '../../../behaviour';
import { relistMs } from '../back-off';
import { neverStarted, type ContainerRun, type ImagePull } from '../container-run';
import type { Note, Passage } from '../passage';
import { configOf } from './config';
import { imageNameError } from './image-name';
import { ImageOnNode, Pulls } from './image-on-node';
import { PullQueue } from './pull-queue';
import { References, type Found } from './references';
import { retryWaits } from './syncs';

/**
 * What a failed attempt leaves behind: the reason of the container's waiting state from the next sync on. Without a message: what it failed
 * with is not known any more (what was missing has come since), but shows in the status.
 */
export interface Failure {
  reason: string;
  message?: string;
}

/** One attempt to make a container. Times are ms since the epoch. */
export interface Attempt {
  at: number;
  ends: number;
  failure?: Failure;
  /** Of an attempt that does not fail: the image was pulled for it. */
  pull?: ImagePull;
  /** A pull that it puts into the node's queue, ms. */
  queues?: { askedAt: number; startsAt: number; tookMs: number };
  notes: readonly { at: number; note: Note }[];
}

/** Where and from when attempts are made. */
export interface AttemptsFrom {
  run: ContainerRun;
  at: number;
  /** The first attempt has started something else of the pod: it is synced again at once. */
  isRelisted: boolean;
}

/** What a series of attempts rests on: as long as it is the same, so are the attempts. */
interface Basis {
  readonly image: ImageOnNode;
  readonly nameError: string | undefined;
  readonly config: Found;
  readonly queue: PullQueue;
}

/** What comes of asking for the image. */
type ImageStep = Pick<Attempt, 'ends' | 'failure' | 'pull' | 'queues'>;

/**
 * The attempts to make a container (upstream `startContainer`), one a sync: its image, its configuration, its creation. They go on until one
 * does not fail. All of it rests on the pod, on what it refers to as that is now, and on what the node has: nothing of it is remembered.
 */
export class Attempts {
  /** When the next one begins. */
  private at: number;
  private count = 0;
  private refusals: number;
  private isPulled = false;
  /** The last one, and the one before it. */
  last: Attempt | undefined;
  before: Attempt | undefined;
  /** How often what the attempts tell has happened, by its message. */
  private counts = new Map<string, number>();

  private constructor(
    private readonly from: AttemptsFrom,
    private readonly basis: Basis,
    private readonly pulls: Pulls,
    private readonly wait: (attempt: number) => number,
  ) {
    const { run, at } = from;
    const { failCreate } = run.behaviour;
    this.at = at;
    this.refusals = neverStarted(run) || failCreate?.times === undefined ? (failCreate?.times ?? Number.POSITIVE_INFINITY) : 0;
  }

  /** Those that have begun by now, and maybe the one that is over. */
  static untilNow(from: AttemptsFrom, passage: Passage): Attempts {
    const { container } = from.run;
    const basis = basisOf(from, passage);
    const known = gone.get(container);
    const isSame = known !== undefined && known.attempts.hasBegun(passage.now) && known.key === keyOf(from, basis, passage);
    const attempts = isSame ? known.attempts : Attempts.none(from, basis, passage);
    while (!attempts.isOver && attempts.at <= passage.now) attempts.tryOnce();
    if (attempts.isOver) gone.delete(container);
    else if (!isSame) gone.set(container, { attempts, key: keyOf(from, basis, passage) });
    return attempts;
  }

  private static none(from: AttemptsFrom, basis: Basis, { pod }: Passage): Attempts {
    const pulls = new Pulls(basis.image.behaviour, neverStarted(from.run));
    return new Attempts(from, basis, pulls, retryWaits(pod.metadata.uid, from.at));
  }

  private hasBegun(now: number): boolean {
    return this.last !== undefined && this.last.at <= now;
  }

  /** Goes on from here without changing it. */
  ahead(): Attempts {
    const copy = new Attempts(this.from, this.basis, this.pulls.copy(), this.wait);
    return Object.assign(copy, { at: this.at, count: this.count, refusals: this.refusals, isPulled: this.isPulled, last: this.last });
  }

  /** The last one did not fail. */
  get isOver(): boolean {
    return this.last !== undefined && !this.last.failure;
  }

  timesOf({ message }: Note): number {
    return this.counts.get(message) ?? 0;
  }

  tryOnce(): Attempt {
    const attempt = this.attempt(this.at);
    for (const { note } of attempt.notes) this.counts.set(note.message, this.timesOf(note) + 1);
    const isFollowed = this.count === 0 && this.from.isRelisted;
    this.at = attempt.ends + (isFollowed ? relistMs : this.wait(this.count));
    this.count++;
    this.before = this.last;
    this.last = attempt;
    return attempt;
  }

  private attempt(at: number): Attempt {
    const { name } = this.basis.image;
    const notes = new Notes(this.from.run.container.name);
    const step = this.askForImage(at, notes);
    const failure = step.failure ?? this.creationFailure(step.ends);
    // What came of the image is told by the start where there is one.
    if (failure && !step.failure) {
      if (step.pull && !step.pull.announced) notes.add(at, 'Normal', 'Pulling', `Pulling image "${name}"`);
      if (failure.message !== undefined) {
        notes.add(step.ends, 'Normal', 'Pulled', pulledMessage(name, step.pull));
        notes.add(step.ends, 'Warning', 'Failed', `Error: ${failure.message}`);
      }
      this.isPulled ||= step.pull !== undefined;
    }
    return { at, ends: step.ends, failure, pull: failure ? undefined : step.pull, queues: step.queues, notes: notes.list };
  }

  private askForImage(at: number, notes: Notes): ImageStep {
    const { image, nameError } = this.basis;
    if (nameError !== undefined) return { ends: at, failure: notes.refusal(at, 'InvalidImageName', 'InspectFailed', nameError) };
    if (this.isPulled || image.isThere(at)) return { ends: at };
    if (image.isNeverPulled) {
      const message = `Container image "${image.name}" is not present with pull policy of Never`;
      return { ends: at, failure: notes.refusal(at, 'ErrImageNeverPull', 'ErrImageNeverPull', message) };
    }
    if (this.pulls.isInBackOff(at)) {
      const message = `Back-off pulling image "${image.name}"`;
      notes.add(at, 'Normal', 'BackOff', message);
      notes.add(at, 'Warning', 'Failed', 'Error: ImagePullBackOff');
      return { ends: at, failure: { reason: 'ImagePullBackOff', message: `${message}: ErrImagePull: ${this.pulls.error}` } };
    }
    return this.pull(at, notes);
  }

  private pull(at: number, notes: Notes): ImageStep {
    const { image, queue } = this.basis;
    const delayMs = image.behaviour?.delayMs ?? 0;
    const within = image.pullWithin(this.from.run.behaviour.startupMs);
    const tookMs = delayMs || within.tookMs;
    const { startsAt, isNew } = queue.turnOf(at, tookMs, delayMs === 0);
    const waitedMs = startsAt - at;
    const ends = startsAt + delayMs;
    const error = this.pulls.tryOnce(ends);
    if (error === undefined && delayMs === 0 && waitedMs === 0) return { ends, pull: within };
    notes.add(at, 'Normal', 'Pulling', `Pulling image "${image.name}"`);
    const queues = isNew ? { askedAt: at, startsAt, tookMs } : undefined;
    if (error === undefined) {
      const waited = waitedMs === 0 ? {} : { waitedMs };
      return { ends, queues, pull: { tookMs, ...waited, bytes: image.bytes, announced: true } };
    }
    notes.add(ends, 'Warning', 'Failed', `Failed to pull image "${image.name}": ${error}`);
    notes.add(ends, 'Warning', 'Failed', 'Error: ErrImagePull');
    return { ends, queues, failure: { reason: 'ErrImagePull', message: error } };
  }

  private creationFailure(at: number): Failure | undefined {
    const { error, since } = this.basis.config;
    if (error !== undefined) return { reason: 'CreateContainerConfigError', message: error };
    if (since > at) return { reason: 'CreateContainerConfigError' };
    const { failCreate } = this.from.run.behaviour;
    if (!failCreate || this.refusals <= 0) return undefined;
    this.refusals--;
    return { reason: 'CreateContainerError', message: failCreate.message };
  }
}

/** Series that are not over, by the container's spec, which a change of the pod's status leaves as it is. */
const gone = new WeakMap<object, { attempts: Attempts; key: string }>();

function basisOf({ run: { container } }: AttemptsFrom, passage: Passage): Basis {
  const { cluster, pod } = passage;
  const image = new ImageOnNode(container, podBehaviourOf(pod).images.get(container.image ?? ''), passage);
  const config = configOf(pod, container, new References(cluster, pod.metadata.namespace ?? ''), image.behaviour?.user);
  return { image, nameError: imageNameError(image.name), config, queue: new PullQueue(container.name, passage) };
}

/** All that a series comes from. */
function keyOf({ run, at, isRelisted }: AttemptsFrom, { image, config, queue }: Basis, { pod }: Passage): string {
  const { startupMs, failCreate } = run.behaviour;
  const series = [pod.metadata.uid, at, isRelisted, neverStarted(run), startupMs, failCreate];
  return JSON.stringify([...series, config, image.thereSince, image.behaviour, queue.key]);
}

/** What an attempt tells about its container. */
class Notes {
  readonly list: { at: number; note: Note }[] = [];

  constructor(private readonly container: string) {}

  add(at: number, type: Note['type'], reason: string, message: string): void {
    this.list.push({ at, note: { type, reason, message, container: this.container } });
  }

  refusal(at: number, reason: string, event: string, message: string): Failure {
    this.add(at, 'Warning', event, message);
    this.add(at, 'Warning', 'Failed', `Error: ${reason}`);
    return { reason, message };
  }
}
