import type { NodeRecord, TakenByOthers } from '#libs/cluster-state';
import { fact, type Fact } from '#libs/events';
import { isObject, parseQuantity, quantityValue, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Failure } from '#libs/kube-api';
import { staticFile } from './static-file';

/** What is to befall a node, or why that is not understood. */
export type Befalling = { facts: Fact[] } | { problem: string } | { refused: Failure };

interface Asked {
  node: string;
  object: KubeObject;
  /** Cluster time, ms. */
  now: number;
  /** What is true of the node now. */
  record: NodeRecord;
  /** The body of the request. */
  options: JsonObject;
}

type Action = (asked: Asked) => Befalling;

const told = (...facts: Fact[]): Befalling => ({ facts });

/** The kubelet falls silent, or the machine goes down with all that runs on it. Who is silent already stays so. */
const fail: Action = ({ node, record, options: { machine } }) => {
  if (machine === true) return told(fact('RuntimeStateChanged', { node, rebooted: true }));
  return record.silentSince === undefined ? told(fact('NodeHeartbeatStopped', { node })) : told();
};

/** A machine that went down begins anew; one that could only not be heard goes on. Runtime and network are well again. */
const recover: Action = ({ node, record }) => {
  const { silentSince, rebootedAt, shutdown, runtimeDownSince, networkDownSince } = record;
  const wasDown = shutdown !== undefined || (silentSince !== undefined && (rebootedAt ?? 0) >= silentSince);
  const mended = {
    ...(runtimeDownSince === undefined ? {} : { runtime: 'up' as const }),
    ...(networkDownSince === undefined ? {} : { network: 'up' as const }),
  };
  return told(
    ...(Object.keys(mended).length > 0 ? [fact('RuntimeStateChanged', { node, ...mended })] : []),
    ...(wasDown ? [fact('KubeletRestarted', { node })] : silentSince === undefined ? [] : [fact('NodeHeartbeatResumed', { node })]),
  );
};

/** Quantities that others than pods take; what is not said stays. */
const pressure: Action = ({ node, record: { load }, options }) => {
  const { memoryBytes = 0, diskBytes = 0, inodes, pids } = load ?? {};
  const amounts: TakenByOthers = {
    memoryBytes,
    diskBytes,
    ...(inodes === undefined ? {} : { inodes }),
    ...(pids === undefined ? {} : { pids }),
  };
  for (const [name, field] of [
    ['memory', 'memoryBytes'],
    ['disk', 'diskBytes'],
    ['inodes', 'inodes'],
    ['pids', 'pids'],
  ] as const) {
    if (options[name] === undefined) continue;
    const amount = parseQuantity(options[name]);
    if (!amount || quantityValue(options[name]) < 0) return { problem: `${name} has to be a quantity such as 3Gi` };
    amounts[field] = Number(quantityValue(options[name]));
  }
  return told(fact('NodeLoadChanged', { node, ...amounts }));
};

const runtime: Action = ({ node, options }) => {
  const states: Record<string, Json> = {};
  for (const name of ['runtime', 'network']) {
    const state = options[name];
    if (state === undefined) continue;
    if (state !== 'up' && state !== 'down') return { problem: `${name} has to be up or down` };
    states[name] = state;
  }
  return Object.keys(states).length === 0
    ? { problem: 'say what is otherwise: runtime or network, up or down' }
    : told(fact('RuntimeStateChanged', { node, ...states }));
};

/** From this priority on pods are critical (`system-cluster-critical`): they are the last to go. */
const criticalPriority = 2_000_000_000;
const shutdownDefaults = { gracePeriod: 30, critical: 10 };

/** Seconds in all, and those of them that are left for critical pods (the kubelet's settings of that meaning). */
const shutdown: Action = ({ node, record, options }) => {
  const { gracePeriod, critical } = { ...shutdownDefaults, ...options } as Record<string, unknown>;
  if (!isSeconds(gracePeriod) || !isSeconds(critical)) return { problem: 'gracePeriod and critical have to be whole seconds' };
  if (critical > gracePeriod) return { problem: 'critical pods have no more time than there is in all' };
  if (record.shutdown) return told();
  const periods = [
    { priority: 0, shutdownGracePeriodSeconds: gracePeriod - critical },
    { priority: criticalPriority, shutdownGracePeriodSeconds: critical },
  ];
  return told(fact('NodeShutdownBegun', { node, periods }));
};

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

const actions: Readonly<Record<string, Action>> = {
  fail,
  recover,
  pressure,
  runtime,
  shutdown,
  static: ({ object, options, now }) => staticFile(object, options, now),
  'restart-kubelet': ({ node }) => told(fact('KubeletRestarted', { node })),
  reboot: ({ node }) => told(fact('KubeletRestarted', { node, reboot: true })),
};

/** @param action as the path names it @param options body of the request */
export function befalling(action: string, asked: Omit<Asked, 'options'>, options: unknown): Befalling {
  const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!act) return { problem: `there is no "${action}"; there are ${Object.keys(actions).join(', ')}` };
  if (!isObject(options)) return { problem: 'the body has to be a JSON object, or absent' };
  return act({ ...asked, options: options as JsonObject });
}
