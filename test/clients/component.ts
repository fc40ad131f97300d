import { plainEnvironment, type RunningCluster } from '../e2e/running-cluster';
import { BackgroundProgram } from './background-program';

/** What nobody wants to find in the log of a component: kinds that are not served, informers that do not get what they ask for. */
const complaint =
  /^[EWF]\d{4} .*(Failed to (list|watch)|could not find the requested resource|timed out waiting for|panic|is forbidden|unable to decode)/;

/** A component of Kubernetes' own control plane, running against a cluster. */
export class Component extends BackgroundProgram {
  constructor(binary: string, { kubeconfig }: RunningCluster, flags: readonly string[]) {
    const command = [
      binary,
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--v=2',
      ...flags,
    ];
    super(command, { env: plainEnvironment() }, complaint);
  }
}
