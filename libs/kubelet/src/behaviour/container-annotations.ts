import type { KubeObject } from '#libs/kernel';
import type { Container } from '../pod-lifecycle/pod-types';
import { execOf, portsOf, refusalOf, writesOf } from './answer-annotations';
import type { ContainerBehaviour, ContainerRole, Health, KubeletDefaults, ProbeKind, TermResponse } from './container-behaviour';
import { annotatedDuration } from './durations';
import { parseExitCode, parseTimeline, type Words } from './grammar';
import { profiles } from './profiles';
import { runKeys, runsOf } from './run-annotations';
import { amountUsed, cpuUsed } from './usage-annotations';

/** From TERM to the end of a container that heeds it, ms. */
export const termMs = 100;

export const annotationPrefix = 'kubereel.dev/';

type Values = ReadonlyMap<string, string>;

interface Known {
  annotations: KubeObject['metadata']['annotations'];
  uid: string;
  role: ContainerRole;
  behaviour: ContainerBehaviour;
}

/** Read once for each container and who asks: a look at a pod follows the other, and what is the same object need not be looked at anew. */
const known = new WeakMap<KubeletDefaults, WeakMap<Container, Known>>();

/**
 * Reads the annotations `kubereel.dev/<container>.<key>` and, for the pod as a whole, `kubereel.dev/<key>`: those of the pod as a whole mean its
 * main containers, but for `startup`, `on-term` and `log`, which mean all. What cannot be read is as good as absent. docs/containers.md has every key.
 */
export function behaviourOf(pod: KubeObject, container: Container, role: ContainerRole, defaults: KubeletDefaults): ContainerBehaviour {
  const { annotations, uid } = pod.metadata;
  let ofDefaults = known.get(defaults);
  if (!ofDefaults) known.set(defaults, (ofDefaults = new WeakMap<Container, Known>()));
  const found = ofDefaults.get(container);
  if (found && found.annotations === annotations && found.uid === uid && found.role === role) return found.behaviour;
  const behaviour = readBehaviour(valuesOf(pod, container, role), role, defaults, `${uid}/${container.name}`);
  ofDefaults.set(container, { annotations, uid, role, behaviour });
  return behaviour;
}

function readBehaviour(values: Values, role: ContainerRole, defaults: KubeletDefaults, seed: string): ContainerBehaviour {
  const startupMs = annotatedDuration(values.get('startup')) ?? defaults.startupMs;
  const onTerm = parseTermResponse(values.get('on-term')) ?? defaultTermResponse(defaults);
  if (values.size === 0) return { ...nothingSpecial, startupMs, runs: runsOf(values, role), onTerm, health: {}, seed };
  const failCreate = refusalOf(values.get('fail-create'), values.get('fail-create-times'));
  const failStart = refusalOf(values.get('fail-start'), values.get('fail-start-times'));
  const resizeFails = values.get('resize-fails');
  return {
    startupMs,
    runs: runsOf(values, role),
    onTerm,
    health: healthOf(values),
    exec: execOf(values),
    ...portsOf(values),
    ...(failCreate ? { failCreate } : {}),
    ...(failStart ? { failStart } : {}),
    ...(resizeFails === undefined ? {} : { resizeFails }),
    ...cpuUsed(values.get('cpu')),
    memory: amountUsed(values.get('memory')),
    disk: amountUsed(values.get('disk')),
    inodes: amountUsed(values.get('inodes')),
    pids: amountUsed(values.get('pids')),
    writes: writesOf(values.get('writes')),
    seed,
  };
}

const nothingSpecial = { exec: new Map(), http: [], tcp: [], grpc: [], cpu: [], memory: [], disk: [], inodes: [], pids: [], writes: [] };

/** Keys that mean every container when the pod as a whole has them. */
const keysOfAll: ReadonlySet<string> = new Set(['startup', 'on-term', 'log']);
const answerKeys = ['ready', 'live', 'started', 'exec', 'http', 'tcp', 'grpc'];
const usageKeys = ['cpu', 'memory', 'disk', 'inodes', 'pids', 'writes'];
const refusalKeys = ['fail-create', 'fail-create-times', 'fail-start', 'fail-start-times', 'resize-fails'];
const keysOfMain: ReadonlySet<string> = new Set(['profile', ...runKeys, 'message', 'log', ...answerKeys, ...usageKeys, ...refusalKeys]);

/** Every key that may be said of a container, without what stands behind a dot. */
export const containerKeys: ReadonlySet<string> = new Set([...keysOfAll, ...keysOfMain]);

const none: Values = new Map();

/** What is said of a container, by key: its own annotations, the pod's, and its profile's. */
export function valuesOf({ metadata }: KubeObject, { name }: Pick<Container, 'name'>, role: ContainerRole): Values {
  const { annotations } = metadata;
  if (!annotations) return none;
  const ownPrefix = `${annotationPrefix}${name}.`;
  const ofPod: [string, string][] = [];
  const own: [string, string][] = [];
  for (const [annotation, value] of Object.entries(annotations)) {
    if (!annotation.startsWith(annotationPrefix)) continue;
    if (annotation.startsWith(ownPrefix)) {
      own.push([annotation.slice(ownPrefix.length), value]);
      continue;
    }
    const key = annotation.slice(annotationPrefix.length);
    const isMeant = keysOfAll.has(key) || (role === 'main' && keysOfMain.has(key.split('.', 1)[0] as string));
    if (isMeant) ofPod.push([key, value]);
  }
  if (own.length === 0 && ofPod.length === 0) return none;
  const values = new Map([...ofPod, ...own]);
  const profile = values.get('profile') ?? '';
  return Object.hasOwn(profiles, profile) ? withProfile(profiles[profile] as Record<string, string>, values) : values;
}

/** What the pod says of its runs takes the place of all that the profile says of them. */
function withProfile(profile: Readonly<Record<string, string>>, values: Map<string, string>): Values {
  const tells = runKeys.some((key) => values.has(key));
  const kept = Object.entries(profile).filter(([key]) => !(tells && runKeys.includes(key)));
  return new Map([...kept, ...values]);
}

/** Whether an annotation says how long a container's runs last, or what they end with: then its own program counts for nothing. */
export function tellsOfRuns(pod: KubeObject, container: Container, role: ContainerRole): boolean {
  if (!pod.metadata.annotations) return false;
  const values = valuesOf(pod, container, role);
  return runKeys.some((key) => values.has(key));
}

function defaultTermResponse(defaults: KubeletDefaults): TermResponse {
  return { afterMs: defaults.onTerm === 'ignore' ? undefined : termMs, exitCode: 0 };
}

const healthKeys: readonly (readonly [string, ProbeKind])[] = [
  ['started', 'startup'],
  ['ready', 'readiness'],
  ['live', 'liveness'],
];

/** `ready`, `live`, `started`: `false; from 10s true; again after 1m`. */
function healthOf(values: Values): Health {
  const health: Health = {};
  for (const [key, kind] of healthKeys) {
    const value = values.get(key);
    const timeline = value === undefined ? undefined : parseTimeline(value, readOk);
    // That it is always so is what holds anyway.
    if (timeline?.steps.some(({ ok }) => !ok)) health[kind] = timeline;
  }
  return health;
}

function readOk(words: Words): { ok: boolean } | undefined {
  if (words.take('true')) return { ok: true };
  return words.take('false') || words.take('never') ? { ok: false } : undefined;
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
