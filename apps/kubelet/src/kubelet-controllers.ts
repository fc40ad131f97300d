import type { KubeletOptions } from '#libs/app-shell';
import type { Controller } from '#libs/control-loop';
import { registrationController } from './node-registration/registration-controller';
import { podController } from './pod-lifecycle/pod-controller';

/** From binding to running, ms of cluster time, where nobody says otherwise. */
export const startupMsDefault = 300;

/** The pure controllers of this app: pods, and nodes. */
export function kubeletControllers(options: KubeletOptions = {}): Controller<any>[] {
  const { startupMs = startupMsDefault, onTerm = 'exit' } = options;
  return [podController({ startupMs, onTerm }), registrationController()];
}
