import { derivedIndex } from '#libs/kernel';
import { pullError, type ImageBehaviour } from '../../../behaviour';
import { resolvedImage } from '../../images';
import type { Container } from '../../pod-types';
import type { ImagePull } from '../container-run';
import type { Passage } from '../passage';

/** Waits before an image that could not be pulled is asked for again, ms: the last repeats. */
const pullBackOffMs = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000] as const;
/** After so long without a failure the waits begin again, ms. */
const forgottenMs = 600_000;
/** Sizes of images that nothing is said about, bytes: from the least on by chance. */
const bytesMin = 5 * 1024 * 1024;
const bytesSpread = 100 * 1024 * 1024;

/** The container's image as its node has it, or does not. */
export class ImageOnNode {
  readonly name: string;
  /** Since when a container on the node was made from it, ms. */
  readonly thereSince: number | undefined;
  private readonly id: string;
  private readonly policy: string;

  constructor(
    { image = '', imagePullPolicy = 'IfNotPresent' }: Container,
    readonly behaviour: ImageBehaviour | undefined,
    { cluster, node }: Passage,
  ) {
    this.name = image;
    this.id = resolvedImage(image).imageId;
    this.policy = imagePullPolicy;
    this.thereSince = cluster.decisions.nodes.images.get(node.metadata.name)?.get(this.id)?.since;
  }

  get isNeverPulled(): boolean {
    return this.policy === 'Never';
  }

  /** The node need not pull it at a moment (ms). Where nothing is said of an image that must not be pulled, somebody has put it there. */
  isThere(at: number): boolean {
    if (this.policy === 'Always') return false;
    const present = this.behaviour?.present;
    if (present ?? this.isNeverPulled) return true;
    return this.thereSince !== undefined && this.thereSince <= at;
  }

  /** A pull that is a part of the container's start, which takes so long altogether (ms): where nothing is said of the image. */
  pullWithin(startupMs: number): ImagePull {
    return { tookMs: Math.floor((startupMs * (40 + derivedIndex(`${this.id}/pull`, 41))) / 100), bytes: this.bytes };
  }

  get bytes(): number {
    return this.behaviour?.sizeBytes ?? bytesMin + derivedIndex(`${this.id}/size`, bytesSpread);
  }
}

/** The pulls of an image for one container, one after the other as they are tried. */
export class Pulls {
  private failures = 0;
  private attempts: number;
  private failedAt = Number.NEGATIVE_INFINITY;
  /** How the last one failed; undefined: none has. */
  error: string | undefined;

  /** @param isFirst the container was never made: its image may fail as often as is said; later that is over */
  constructor(
    private readonly behaviour: ImageBehaviour | undefined,
    isFirst: boolean,
  ) {
    this.attempts = isFirst ? 0 : (behaviour?.errors.length ?? 0);
  }

  copy(): Pulls {
    return Object.assign(new Pulls(this.behaviour, true), this);
  }

  isInBackOff(at: number): boolean {
    if (this.failures === 0) return false;
    return at - this.failedAt < (pullBackOffMs[Math.min(this.failures, pullBackOffMs.length) - 1] as number);
  }

  /** Tries once more: the error with which it ends at a moment (ms), if it fails. */
  tryOnce(at: number): string | undefined {
    const text = this.behaviour && pullError(this.behaviour, this.attempts++);
    this.error = text === undefined ? undefined : `rpc error: code = ${this.behaviour?.code ?? 'Unknown'} desc = ${text}`;
    if (this.error === undefined) return undefined;
    this.failures = at - this.failedAt > forgottenMs ? 1 : this.failures + 1;
    this.failedAt = at;
    return this.error;
  }
}
