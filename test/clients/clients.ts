import type { Client } from './client';
import { goClients } from './go';
import { helm } from './helm';
import { java } from './java';
import { kopf } from './kopf';
import { kubeRs } from './kube-rs';
import { kubectls } from './kubectl';
import { node } from './node';
import { python } from './python';
import { rust } from './rust';
import { kubeControllerManager, kubeScheduler } from './stock';
import { wellKnown } from './well-known';

/** All clients that are tried, in the order in which docs/clients.md tells of them. */
export const clients: readonly Client[] = [
  ...kubectls,
  wellKnown,
  node,
  python,
  java,
  ...goClients,
  rust,
  helm,
  kopf,
  kubeRs,
  kubeScheduler,
  kubeControllerManager,
];
