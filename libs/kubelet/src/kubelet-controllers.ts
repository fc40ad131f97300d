import { reconcilerController, type Controller } from '#libs/control-loop';
import { kubeletShutdown } from './node-life/shutdown-controller';
import { kubeletHeartbeats } from './node-registration/heartbeats';
import { registrationController } from './node-registration/registration-controller';
import { evictionConfigOf, evictionManager, type EvictionConfig } from './eviction';
import { podController } from './pod-lifecycle/pod-controller';
import { staticPods } from './static-pods/static-pods-controller';

/** How the simulated kubelets behave where no annotation says otherwise. */
export interface KubeletOptions {
  /** From binding to running, ms of cluster time. */
  startupMs?: number;
  /** What a container does on TERM: ends after 100 ms, or `ignore`s it until KILL. */
  onTerm?: 'exit' | 'ignore';
  /** What pods are evicted for; upstream's thresholds when absent. */
  eviction?: EvictionConfig;
  /** Images are pulled one after the other; true when absent, unless several may be pulled at once. */
  serializeImagePulls?: boolean;
  /** How many images are pulled at once, where not one by one; absent: as many as are asked for. */
  maxParallelImagePulls?: number;
  /** The Leases of nodes are renewed, for others who go by them. */
  heartbeats?: boolean;
}

/** From binding to running, ms of cluster time, where nobody says otherwise. */
export const startupMsDefault = 300;

/** The controllers of the kubelets: pods, nodes, their shutdown and their heartbeats. */
export function kubeletControllers(options: KubeletOptions = {}): Controller<any>[] {
  const { startupMs = startupMsDefault, onTerm = 'exit', heartbeats = false, eviction = evictionConfigOf() } = options;
  return [
    podController({ startupMs, onTerm, ...pullsAtOnce(options) }),
    registrationController(),
    reconcilerController(evictionManager(eviction)),
    reconcilerController(kubeletShutdown),
    reconcilerController(staticPods),
    ...(heartbeats ? [reconcilerController(kubeletHeartbeats)] : []),
  ];
}

function pullsAtOnce({ maxParallelImagePulls: limit, serializeImagePulls = (limit ?? 1) < 2 }: KubeletOptions): { pullsAtOnce?: number } {
  if (serializeImagePulls) return { pullsAtOnce: 1 };
  return limit === undefined ? {} : { pullsAtOnce: limit };
}
