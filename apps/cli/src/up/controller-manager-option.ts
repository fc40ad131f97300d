import type { AppOptions } from '#libs/app-shell';
import { parseDuration } from '#libs/kernel';
import { CliError } from '../cli-error';

/** Flags of kube-controller-manager that `up` has too, as written on the command line. */
export interface ControllerManagerFlags {
  nodeMonitorGracePeriod?: string;
  nodeStartupGracePeriod?: string;
  nodeEvictionRate?: string;
  secondaryNodeEvictionRate?: string;
  largeClusterSizeThreshold?: string;
  unhealthyZoneThreshold?: string;
  terminatedPodGcThreshold?: string;
}

type Settings = Pick<NonNullable<AppOptions['controllerManager']>, 'nodeLifecycle' | 'podGC'>;

/** What is set of how nodes that fail are dealt with, and of what is collected of pods. @throws CliError naming the flag */
export function controllerManagerSettings(flags: ControllerManagerFlags): Settings {
  const nodeLifecycle = withoutAbsent({
    monitorGraceMs: span('--node-monitor-grace-period', flags.nodeMonitorGracePeriod),
    startupGraceMs: span('--node-startup-grace-period', flags.nodeStartupGracePeriod),
    evictionRate: rate('--node-eviction-rate', flags.nodeEvictionRate),
    secondaryEvictionRate: rate('--secondary-node-eviction-rate', flags.secondaryNodeEvictionRate),
    largeClusterThreshold: count('--large-cluster-size-threshold', flags.largeClusterSizeThreshold),
    unhealthyZoneThreshold: rate('--unhealthy-zone-threshold', flags.unhealthyZoneThreshold),
  });
  const podGC = withoutAbsent({ terminatedPodThreshold: count('--terminated-pod-gc-threshold', flags.terminatedPodGcThreshold) });
  return { ...(nodeLifecycle ? { nodeLifecycle } : {}), ...(podGC ? { podGC } : {}) };
}

/** Undefined: nothing is set. */
function withoutAbsent<T extends object>(settings: T): T | undefined {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  return set.length > 0 ? (Object.fromEntries(set) as T) : undefined;
}

/** Milliseconds. */
function span(flag: string, text: string | undefined): number | undefined {
  return read(flag, text, 'a duration, such as 50s or 5m', (given) => {
    const ms = parseDuration(given, ['d']);
    return ms === undefined ? undefined : Math.round(ms);
  });
}

function rate(flag: string, text: string | undefined): number | undefined {
  return read(flag, text, 'a number from 0 on, such as 0.1', (given) => (/^\d*\.?\d+$/.test(given) ? Number(given) : undefined));
}

/** Beyond that nobody counts. */
const countMax = 1_000_000_000;

function count(flag: string, text: string | undefined): number | undefined {
  return read(flag, text, 'a whole number from 0 on', (given) => {
    const number = /^\d+$/.test(given) ? Number(given) : Infinity;
    return number <= countMax ? number : undefined;
  });
}

function read(flag: string, text: string | undefined, expected: string, parse: (given: string) => number | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw new CliError(`${flag}: "${text}" is not understood`, `It is ${expected}.`, 2);
  return value;
}
