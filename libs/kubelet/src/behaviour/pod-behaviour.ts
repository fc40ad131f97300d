import type { Refusal } from './container-behaviour';

/** What happens to a pod around its containers. */
export interface PodBehaviour {
  /** By the reference as the spec has it. */
  images: ReadonlyMap<string, ImageBehaviour>;
  /** The sandbox cannot be made. */
  sandboxFails?: Refusal;
  /** What a plug-in of the kubelet says when it refuses the pod at its admission. */
  admissionError?: string;
}

/** What comes of pulling an image. */
export interface ImageBehaviour {
  /** How long each pull takes, ms. */
  delayMs: number;
  /** By attempt: what the pull fails with; '' lets it succeed. After the last it succeeds, or with `repeats` fails as the last one did. */
  errors: readonly string[];
  repeats: boolean;
  /** The gRPC code of the failures: `Unknown`, `NotFound`, `Unavailable`, … */
  code: string;
  sizeBytes?: number;
  /** True: the node has it before anything is pulled. False: it has not. Absent: nothing is said. */
  present?: boolean;
  /** Who its processes run as. Absent: nothing is said. */
  user?: number;
}

/** What the pull by the given attempt (0 for the first) fails with; undefined: it succeeds. */
export function pullError({ errors, repeats }: ImageBehaviour, attempt: number): string | undefined {
  const error = attempt < errors.length || !repeats ? errors[attempt] : errors[errors.length - 1];
  return error === undefined || error === '' ? undefined : error;
}
