import type { KubeObject } from '#libs/kernel';
import { annotatedDuration } from './durations';
import type { Container } from './pod-types';

/** What a container does, on its own and when told to stop. Nothing is executed: annotations say it. */
export interface ContainerBehaviour {
  /** How long a start takes, ms. */
  startupMs: number;
  /** How long a run lasts, ms; undefined: until it is stopped. */
  runForMs: number | undefined;
  /** Code with which a run ends by itself. */
  exitCode: number;
  /** What a run that ends by itself leaves as its message. */
  message?: string;
  onTerm: TermResponse;
  /** False: the readiness probe never succeeds. */
  becomesReady: boolean;
}

/** What a container does on TERM. `afterMs` undefined: it takes no notice and has to be killed. */
export interface TermResponse {
  afterMs: number | undefined;
  exitCode: number;
}

export interface KubeletDefaults {
  /** Duration of a container's start, ms of cluster time. */
  startupMs: number;
  onTerm: 'exit' | 'ignore';
}

export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** From TERM to the end of a container that heeds it, ms. */
export const termMs = 100;
/** A run of an init container that nothing is said about, ms. */
export const initRunMs = 100;
/** A run that is said to end with a code, but not when, ms. */
const shortRunMs = 1_000;

const prefix = 'kubereel.dev/';

/**
 * Reads the annotations `kubereel.dev/<container>.<key>` and, for the pod as a whole, `kubereel.dev/<key>`. Those about a
 * run (`run-for`, `exit-code`, `ready`) mean the main containers when the pod as a whole has them. What cannot be read is
 * as good as absent.
 */
export function behaviourOf(pod: KubeObject, container: Container, role: ContainerRole, defaults: KubeletDefaults): ContainerBehaviour {
  const annotations = pod.metadata.annotations;
  const read = (key: string, wholePod: boolean): string | undefined => {
    if (!annotations) return undefined;
    const own = annotations[`${prefix}${container.name}.${key}`];
    return own ?? (wholePod ? annotations[prefix + key] : undefined);
  };
  const main = role === 'main';
  const exitCode = parseExitCode(read('exit-code', main));
  const ready = read('ready', main);
  return {
    startupMs: annotatedDuration(read('startup', true)) ?? defaults.startupMs,
    runForMs: annotatedDuration(read('run-for', main)) ?? (exitCode !== undefined ? shortRunMs : role === 'init' ? initRunMs : undefined),
    exitCode: exitCode ?? 0,
    onTerm: parseTermResponse(read('on-term', true)) ?? defaultTermResponse(defaults),
    becomesReady: ready !== 'false' && ready !== 'never',
  };
}

/** Whether an annotation says how long a container's runs last, or what they end with: then its own program counts for nothing. */
export function tellsOfRuns(pod: KubeObject, { name }: Container, role: ContainerRole): boolean {
  const { annotations } = pod.metadata;
  if (!annotations) return false;
  const prefixes = role === 'main' ? [`${prefix}${name}.`, prefix] : [`${prefix}${name}.`];
  return prefixes.some((each) => Object.hasOwn(annotations, `${each}run-for`) || Object.hasOwn(annotations, `${each}exit-code`));
}

function defaultTermResponse(defaults: KubeletDefaults): TermResponse {
  return { afterMs: defaults.onTerm === 'ignore' ? undefined : termMs, exitCode: 0 };
}

function parseExitCode(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,3}$/.test(text)) return undefined;
  const code = Number(text);
  return code <= 255 ? code : undefined;
}

const termGrammar = /^(?:(ignore)|(?:takes\s+(\S+)(?:\s+exit\s+(\d{1,3}))?)|(?:exit(?:\s+(\d{1,3}))?))$/;

/** `ignore`, `exit`, `exit 143`, `takes 5s`, `takes 5s exit 143`. */
export function parseTermResponse(text: string | undefined): TermResponse | undefined {
  const match = text === undefined ? null : termGrammar.exec(text.trim());
  if (!match) return undefined;
  const [, ignore, takes, takesCode, code] = match;
  if (ignore) return { afterMs: undefined, exitCode: 0 };
  const exitCode = parseExitCode(takesCode ?? code) ?? 0;
  const afterMs = takes === undefined ? termMs : annotatedDuration(takes);
  return afterMs === undefined ? undefined : { afterMs, exitCode };
}
