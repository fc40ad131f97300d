import type { KubeObject } from '#libs/kernel';
import type { Container } from '../pod-lifecycle/pod-types';
import type { ContainerBehaviour, ContainerRole, Health, KubeletDefaults, TermResponse } from './container-behaviour';
import { annotatedDuration } from './durations';
import { always } from './timeline';

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
  const runForMs =
    annotatedDuration(read('run-for', main)) ?? (exitCode !== undefined ? shortRunMs : role === 'init' ? initRunMs : undefined);
  return {
    ...nothingSpecial,
    startupMs: annotatedDuration(read('startup', true)) ?? defaults.startupMs,
    runs: [{ runForMs, exitCode: exitCode ?? 0 }],
    onTerm: parseTermResponse(read('on-term', true)) ?? defaultTermResponse(defaults),
    health: healthOf(read('ready', main)),
    seed: `${pod.metadata.uid}/${container.name}`,
  };
}

const nothingSpecial = { exec: new Map(), http: [], tcp: [], grpc: [], cpu: [], memory: [], disk: [], writes: [] };

function healthOf(ready: string | undefined): Health {
  return ready === 'false' || ready === 'never' ? { readiness: always({ ok: false }) } : {};
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
