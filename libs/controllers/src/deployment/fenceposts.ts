import type { KubeObject } from '#libs/kernel';

type IntOrPercent = number | string | undefined;

function scaled(value: IntOrPercent, total: number, round: (share: number) => number): number {
  if (typeof value !== 'string') return value ?? 0;
  return round((Number.parseInt(value, 10) * total) / 100);
}

export function replicasOf(object: KubeObject): number {
  return (object.spec?.replicas as number | undefined) ?? 1;
}

function isRolling(deployment: KubeObject): boolean {
  return (deployment.spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/** Pods above the wanted number that a rollout may have: shares round up. 0 unless rolling. */
export function maxSurge(deployment: KubeObject): number {
  if (!isRolling(deployment)) return 0;
  return scaled(deployment.spec?.strategy?.rollingUpdate?.maxSurge, replicasOf(deployment), Math.ceil);
}

/** Pods that may be missing in a rollout: shares round down, but when nothing may be above, one may be missing. 0 unless rolling. */
export function maxUnavailable(deployment: KubeObject): number {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment) || replicas === 0) return 0;
  const unavailable = scaled(deployment.spec?.strategy?.rollingUpdate?.maxUnavailable, replicas, Math.floor);
  return Math.min(unavailable === 0 && maxSurge(deployment) === 0 ? 1 : unavailable, replicas);
}
