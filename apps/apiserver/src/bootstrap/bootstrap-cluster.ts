import type { ClusterRuntime, Origin, Writer } from '#libs/control-loop';
import { WrongExpectedRevisionError } from '#libs/event-log';
import { decisionStream, fact, objectStream, type Fact } from '#libs/events';
import { derivedId } from '#libs/kernel';
import { schemaData } from '#libs/kube-api';
import { defaultObjects, type BootstrapOptions, type DefaultObject } from './default-objects';

/**
 * What a new cluster begins with; a resumed one is told how long it stood still. Writes only what is absent, so an interrupted
 * bootstrap is completed by the next.
 */
export async function bootstrapCluster(runtime: ClusterRuntime, _writer: Writer, options: BootstrapOptions = {}): Promise<void> {
  const { state, clock, seed } = runtime;
  const lifecycle = state.head(decisionStream(state.cluster, 'cluster-lifecycle'));
  const now = clock.now();
  const begun = lifecycle
    ? await resumed(runtime, now)
    : await recorded(runtime, fact('ClusterCreated', { seed, kubernetes: schemaData.release }));
  const absent = defaultObjects(now, seed, options).filter(
    ({ resource, object }) => !state.get(resource, object.metadata.namespace, object.metadata.name),
  );
  await Promise.all(absent.map((object) => created(runtime, object, begun)));
}

function originOf(operation: string, runtime: ClusterRuntime, causationId?: string): Origin {
  const correlationId = causationId ?? derivedId(`${runtime.options.writer}/${operation}`);
  return { actor: 'apiserver', operation, correlationId, causationId };
}

async function recorded(runtime: ClusterRuntime, what: Fact): Promise<string> {
  const { id } = await runtime.appendDecision('cluster-lifecycle', [what], originOf('bootstrap', runtime), '0');
  return id;
}

/** Deadlines run on by the clock, and nodes count as having been alive meanwhile. */
async function resumed(runtime: ClusterRuntime, now: number): Promise<string | undefined> {
  const from = runtime.state.time;
  return now > from ? recorded(runtime, fact('ClusterResumed', { from, to: now })) : undefined;
}

async function created(runtime: ClusterRuntime, { resource, object }: DefaultObject, cause: string | undefined): Promise<void> {
  const { namespace, name } = object.metadata;
  const stream = objectStream(runtime.state.cluster, resource, namespace, name);
  const head = runtime.state.head(stream);
  const origin = originOf(`bootstrap/${resource}/${namespace ?? ''}/${name}`, runtime, cause);
  try {
    await runtime.append(stream, [fact('Created', { object })], head?.revision ?? 'no_stream', origin, '0', head?.digest);
  } catch (error) {
    // Another server of the same cluster has just done it.
    if (!(error instanceof WrongExpectedRevisionError)) throw error;
  }
}
