import type { KubeletOptions } from '#libs/app-shell';
import { reconcilerController, type Controller } from '#libs/control-loop';
import { registrationController } from './node-registration/registration-controller';
import { nodeReadiness } from './node-readiness/node-readiness';
import { podController } from './pod-lifecycle/pod-controller';

/** From binding to running, ms of cluster time, where nobody says otherwise. */
export const startupMsDefault = 300;

/** The pure controllers of this app: pods, nodes, and the taint of nodes that have become ready. */
export function kubeletControllers(options: KubeletOptions = {}): Controller<any>[] {
  const { startupMs = startupMsDefault, onTerm = 'exit' } = options;
  return [podController({ startupMs, onTerm }), registrationController(), reconcilerController(nodeReadiness)];
}
