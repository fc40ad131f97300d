import type { AppOptions } from '#libs/app-shell';
import type { ControllerFactory } from '#libs/audit';
import type { ClusterRuntime, Controller, Writer } from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';
import type { EvictionConfig, KubeletOptions } from '#libs/kubelet';

/** Every controller of every app, as pure state machines: for simulations. */
export async function allControllers(options: AppOptions): Promise<Controller[]> {
  return (await loadControllers())(options);
}

async function loadControllers(): Promise<(options: AppOptions) => Controller[]> {
  const [apiserver, admission, scheduler, kubelet, pdb, manager] = await Promise.all([
    import('#apps/apiserver'),
    import('#libs/controllers/priority-admission'),
    import('#apps/scheduler'),
    import('#libs/kubelet'),
    import('#libs/controllers/pdb-controller'),
    import('#libs/controllers/controller-manager'),
  ]);
  return (options) =>
    [
      ...apiserver.apiserverControllers(),
      ...admission.priorityAdmissionControllers(),
      ...pdb.pdbControllers(),
      ...manager.controllerManagerControllers(options),
      ...scheduler.schedulerControllers(options),
      ...kubelet.kubeletControllers(options.kubelet ?? {}),
    ] as Controller[];
}

export interface FactoryOptions {
  /** Files of scheduler plugins that the cluster ran with, as absolute paths. */
  schedulerPlugins?: readonly string[];
}

/** Makes a controller with the configuration that the log says was in force when it started: for questions asked of the past. */
export async function controllerFactory({ schedulerPlugins }: FactoryOptions = {}): Promise<ControllerFactory> {
  const known = new Map<string, Controller | undefined>();
  const make = await loadControllers();
  return (name, config) => {
    const key = `${name} ${JSON.stringify(config)}`;
    if (!known.has(key))
      known.set(
        key,
        unlessUnreadable(() => make(optionsFor(name, config, schedulerPlugins)).find((controller) => controller.name === name)),
      );
    return known.get(key);
  };
}

/** A configuration that is not understood here (another version's, or plugins that are not at hand) makes no controller. */
function unlessUnreadable(make: () => Controller | undefined): Controller | undefined {
  try {
    return make();
  } catch (error) {
    if ((error as Error).name === 'ConfigurationError') return undefined;
    throw error;
  }
}

/** What the operator had set, as far as the controller's recorded configuration shows it. */
function optionsFor(name: string, config: JsonObject, plugins: readonly string[] | undefined): AppOptions {
  const options: AppOptions = { cluster: '', seed: '' };
  if (name === 'scheduler' || name.startsWith('scheduler-')) {
    const identity = name === 'scheduler' ? undefined : name.slice('scheduler-'.length);
    return { ...options, scheduler: { config: config.kubeSchedulerConfiguration as JsonObject | undefined, plugins, identity } };
  }
  if (name === 'kubelet') return { ...options, kubelet: kubeletOptions(config) };
  if (name === 'kubelet-eviction') return { ...options, kubelet: { eviction: config as unknown as EvictionConfig } };
  if (name === 'kubelet-heartbeats') return { ...options, kubelet: { heartbeats: true } };
  if (name === 'node-bootstrap')
    return { ...options, controllerManager: { nodes: config as unknown as NonNullable<AppOptions['controllerManager']>['nodes'] } };
  if (name === 'node-lifecycle-controller') return { ...options, controllerManager: { nodeLifecycle: config } };
  if (name === 'pod-garbage-collector') return { ...options, controllerManager: { podGC: config } };
  if (name === 'root-ca-cert-publisher-controller')
    return { ...options, apiserver: { ca: config.ca as string } as AppOptions['apiserver'] };
  if (name === 'certificatesigningrequest-signing-controller')
    return { ...options, controllerManager: { signer: { certificate: config.certificate as string, privateKey: '' } } };
  return options;
}

/** Kubelets that say nothing of how many images they pull at once pulled all that were asked for. */
function kubeletOptions({ pullsAtOnce, ...config }: JsonObject): KubeletOptions {
  return { ...config, serializeImagePulls: false, maxParallelImagePulls: pullsAtOnce as number | undefined };
}

/** What a new cluster begins with, and a resumed one is told. */
export async function bootstrap(runtime: ClusterRuntime, writer: Writer): Promise<void> {
  const { bootstrapCluster } = await import('#apps/apiserver');
  await bootstrapCluster(runtime, writer);
}
