import { eventId, lastLeader, type ClusterRuntime, type Origin, type Writer } from '#libs/control-loop';
import { WrongExpectedRevisionError } from '#libs/event-log';
import { decisionStream, fact } from '#libs/events';
import { derivedId } from '#libs/kernel';
import { schemaData } from '#libs/kube-api';
import type { BootstrapOptions, DefaultObject } from './default-object';
import { defaultObjects } from './default-objects';

/**
 * What a new cluster begins with; a resumed one is told how long it stood still. Writes only what is absent, so an interrupted
 * bootstrap is completed by the next.
 */
export async function bootstrapCluster(runtime: ClusterRuntime, writer: Writer, options: BootstrapOptions = {}): Promise<void> {
  const { state, clock } = runtime;
  const now = clock.now();
  const begun = state.head(lifecycleOf(runtime)) ? await resumed(runtime, now) : await begin(runtime);
  const absent = defaultObjects(now, options).filter(
    ({ resource, object }) => !state.get(resource, object.metadata.namespace, object.metadata.name),
  );
  const write = (object: DefaultObject): Promise<void> => created(runtime, writer, object, begun);
  // The rest lies in these namespaces.
  await Promise.all(absent.filter(({ resource }) => resource === 'namespaces').map(write));
  await Promise.all(absent.filter(({ resource }) => resource !== 'namespaces').map(write));
  await tellFrontProxy(runtime, writer, options);
}

/** The stream that begins with the cluster: where it has no event, there is no cluster yet. */
function lifecycleOf({ state }: ClusterRuntime): string {
  return decisionStream(state.cluster, 'cluster-lifecycle');
}

function originOf(operation: string, runtime: ClusterRuntime, causationId?: string): Origin {
  const correlationId = causationId ?? derivedId(`${runtime.options.writer}/${operation}`);
  return { actor: 'apiserver', operation, correlationId, causationId };
}

async function begin(runtime: ClusterRuntime): Promise<string | undefined> {
  const origin = originOf('bootstrap', runtime);
  const facts = [fact('ClusterCreated', { seed: runtime.seed, kubernetes: schemaData.release })];
  try {
    await runtime.append(lifecycleOf(runtime), [facts], 'no_stream', { origin, label: '0', follows: undefined });
    return eventId(runtime.options.writer, origin, '0', 0);
  } catch (error) {
    // Another server of the same cluster has just done it.
    if (error instanceof WrongExpectedRevisionError) return undefined;
    throw error;
  }
}

/** Deadlines run on by the clock, and nodes count as having been alive meanwhile. */
async function resumed(runtime: ClusterRuntime, now: number): Promise<string | undefined> {
  const from = runtime.state.time;
  // The record of this process's start rests on the same state, whoever else begins to write meanwhile.
  await runtime.begin();
  if (now <= from || (await isRunning(runtime))) return undefined;
  const { id } = await runtime.appendDecision(
    'cluster-lifecycle',
    [fact('ClusterResumed', { from, to: now })],
    originOf('bootstrap', runtime),
    '0',
  );
  return id;
}

/** Another instance is there already: the cluster did not stand still. */
async function isRunning({ options, state }: ClusterRuntime): Promise<boolean> {
  const leader = options.election && (await lastLeader(options.log, state.cluster, 'apiserver'));
  return leader !== undefined && !options.election?.isDead(leader);
}

/** @throws Error when the log does not take it: there is no cluster without these. */
async function created(
  runtime: ClusterRuntime,
  writer: Writer,
  { resource, object, manager }: DefaultObject,
  cause: string | undefined,
): Promise<void> {
  const { namespace, name } = object.metadata;
  const origin = originOf(`bootstrap/${resource}/${namespace ?? ''}/${name}`, runtime, cause);
  // The reviewer may not run yet, and it is told by these what the system's own classes are.
  const reviews = [
    { type: 'PriorityClassAdmitted', data: {} },
    { type: 'QuotaGranted', data: {} },
  ];
  const options = manager === undefined ? {} : { options: { fieldManager: manager } };
  const result = await writer.write({ verb: 'create', resource, namespace, object, ...options }, origin, { onConflict: 'retry', reviews });
  // Another server of the same cluster may have just made it, and hold what the object would be given.
  if (result.kind === 'refused' && result.status.reason !== 'AlreadyExists' && !runtime.state.get(resource, namespace, name))
    throw new Error(`${resource} ${name} cannot be created: ${result.status.message}`);
}

const authentication = { resource: 'configmaps', namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;

/** A cluster of before had one CA for all: since it has a front proxy of its own, servers of aggregated APIs are told of that one's. */
async function tellFrontProxy(runtime: ClusterRuntime, writer: Writer, { ca, frontProxyCa }: BootstrapOptions): Promise<void> {
  const { resource, namespace, name } = authentication;
  const present = runtime.state.get(resource, namespace, name);
  const data = (present?.data ?? {}) as Record<string, string>;
  const key = 'requestheader-client-ca-file';
  if (!present || frontProxyCa === undefined || frontProxyCa === ca || data[key] !== ca) return;
  const object = { ...present, data: { ...data, [key]: frontProxyCa } };
  const origin = originOf(`bootstrap/${resource}/${namespace}/${name}`, runtime);
  await writer.write({ verb: 'update', target: authentication, object, options: { fieldManager: 'kube-apiserver' } }, origin);
}
