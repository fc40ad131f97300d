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
  /** The Leases of nodes are renewed, for others who go by them. */
  heartbeats?: boolean;
}

/** From binding to running, ms of cluster time, where nobody says otherwise. */
export const startupMsDefault = 300;

/** The controllers of the kubelets: pods, nodes, their shutdown and their heartbeats. */
export function kubeletControllers(options: KubeletOptions = {}): Controller<any>[] {
  const { startupMs = startupMsDefault, onTerm = 'exit', heartbeats = false, eviction = evictionConfigOf() } = options;
  return [
    podController({ startupMs, onTerm }),
    registrationController(),
    reconcilerController(evictionManager(eviction)),
    reconcilerController(kubeletShutdown),
    reconcilerController(staticPods),
    ...(heartbeats ? [reconcilerController(kubeletHeartbeats)] : []),
  ];
}
