import { verify, type VerifyReport } from '#libs/audit';
import {
  ClusterRuntime,
  ControllerShell,
  SimulationExecutive,
  VirtualClock,
  Writer,
  type Controller,
  type Origin,
} from '#libs/control-loop';
import { createMemoryLog, type RecordedEvent } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { schedulerController, type SchedulerController, type SchedulerControllerOptions } from './scheduler';

const start = Date.parse('2026-01-01T00:00:00Z');

/** What runs beside the scheduler: the shell that asks its extenders. */
type Besides = (runtime: ClusterRuntime, controller: SchedulerController) => { start(): void; stop(): void };

/** A scheduler alone on a log in memory and in virtual time: pods are put there as they would be after admission. */
export async function schedulerWorld() {
  const log = createMemoryLog();
  const clock = new VirtualClock(start);
  const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: 'test', seed: 's' });
  const writer = new Writer(runtime);
  /** The window of whoever is not the scheduler, and one for each start of it. */
  const runtimes = [runtime];
  const together = {
    get pending(): number {
      return runtimes.reduce((sum, { pending }) => sum + pending, 0);
    },
  };
  const executive = new SimulationExecutive(together, clock);
  let operation = 0;
  const origin = (): Origin => ({ actor: 'user:admin', operation: `request/${operation}`, correlationId: `c${operation++}` });
  const put = async (resource: string, object: JsonObject): Promise<void> => {
    const { namespace, name } = object.metadata as { namespace?: string; name: string };
    const stream = `local.${resource}-${namespace ? `${namespace}/` : ''}${name}`;
    const metadata = { uid: `u-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', generation: 1, ...(object.metadata as object) };
    await runtime.append(stream, [[{ type: 'Created', data: { object: { ...object, metadata } } as never }]], 'no_stream', {
      origin: origin(),
      label: '0',
      follows: undefined,
    });
  };
  const node = (name: string, cpu: string, labels: Record<string, string> = {}) =>
    put('nodes', { metadata: { name, labels }, spec: {}, status: { allocatable: { cpu, memory: '8Gi', pods: '110' } } });
  const pod = (name: string, cpu: string, priority = 0, more: JsonObject = {}, labels: Record<string, string> = {}) =>
    put('pods', {
      metadata: { name, namespace: 'default', labels },
      spec: {
        containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }],
        priority,
        terminationGracePeriodSeconds: 30,
        ...more,
      },
      status: { phase: 'Pending' },
    });
  const get = (name: string): KubeObject | undefined => runtime.state.get('pods', 'default', name);
  const remove = (name: string) =>
    writer.write(
      { verb: 'delete', target: { resource: 'pods', namespace: 'default', name }, options: { gracePeriodSeconds: 0 } },
      origin(),
    );
  const bind = (name: string, nodeName: string) =>
    writer.write({ verb: 'bind', target: { resource: 'pods', namespace: 'default', name }, node: nodeName }, origin());
  const runScheduler = async (options: SchedulerControllerOptions = {}, besides?: Besides) => {
    // A process that is started again is another writer.
    const own = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: `scheduler-${runtimes.length}`, seed: 's' });
    runtimes.push(own);
    const controller = schedulerController(options);
    const other = besides?.(own, controller);
    other?.start();
    const shell = new ControllerShell(own, new Writer(own), controller as unknown as Controller);
    await shell.start();
    const stop = (): void => [shell, other].forEach((part) => part?.stop());
    return { controller, stop };
  };
  const events = async (type?: string): Promise<RecordedEvent[]> => {
    const found: RecordedEvent[] = [];
    for await (const page of log.readAll()) found.push(...page.filter((event) => type === undefined || event.type === type));
    return found;
  };
  const verified = (controller: SchedulerController): Promise<VerifyReport> =>
    verify({ log, cluster: 'local', seed: 's', controllers: [controller as unknown as Controller] });
  return { log, clock, runtime, writer, executive, origin, put, node, pod, get, remove, bind, runScheduler, events, verified };
}
