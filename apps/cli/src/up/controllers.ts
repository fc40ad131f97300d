import type { AppOptions } from '#libs/app-shell';
import type { ClusterRuntime, Controller, Writer } from '#libs/control-loop';

/** Every controller of every app, as pure state machines: for simulations and for `verify`. */
export async function allControllers(options: AppOptions): Promise<Controller[]> {
  const [admission, scheduler, kubelet, pdb, manager] = await Promise.all([
    import('#apps/priority-admission'),
    import('#apps/scheduler'),
    import('#apps/kubelet'),
    import('#apps/pdb-controller'),
    import('#apps/controller-manager'),
  ]);
  return [
    ...admission.priorityAdmissionControllers(options),
    ...pdb.pdbControllers(options),
    ...manager.controllerManagerControllers(options),
    ...scheduler.schedulerControllers(options),
    ...kubelet.kubeletControllers(options.kubelet ?? {}),
  ] as Controller[];
}

/** What a new cluster begins with, and a resumed one is told. */
export async function bootstrap(runtime: ClusterRuntime, writer: Writer): Promise<void> {
  const { bootstrapCluster } = await import('#apps/apiserver');
  await bootstrapCluster(runtime, writer);
}
