import type { KubeObject } from '#libs/kernel';
import { isFailure, notFound, type Failure } from '#libs/kube-api';
import type { Answer } from '../http/answer';
import { listAnswer, oneAnswer, readIncludeObject } from '../wire/representation';
import { readListOptions } from './list-options';
import { selects } from './page';
import type { ResourceRequest } from './resource-request';

export interface ComponentHealth {
  /** Apps that run beside this one. */
  readonly apps: readonly string[];
  /** Why the event log cannot be used now; undefined when it can. */
  trouble(): Promise<string | undefined>;
}

interface Component {
  readonly name: string;
  readonly app: string;
  /** Where upstream's answers when it is asked how it is. */
  readonly port: number;
}

const components: readonly Component[] = [
  { name: 'scheduler', app: 'scheduler', port: 10_259 },
  { name: 'controller-manager', app: 'controller-manager', port: 10_257 },
];

/** How the parts of the control plane are: asked when somebody asks, kept nowhere. What does not run is told as a real server would find it. */
export async function componentStatuses(request: ResourceRequest, health: ComponentHealth): Promise<Answer | Failure> {
  return request.verb === 'list' ? listStatuses(request, health) : getStatus(request, health);
}

async function listStatuses(request: ResourceRequest, health: ComponentHealth): Promise<Answer | Failure> {
  const { kind, query, negotiated, view } = request;
  const options = readListOptions(kind, query, false);
  if (isFailure(options)) return options;
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  if (isFailure(includeObject)) return includeObject;
  const objects = (await statuses(health)).filter((status) => selects(options, status));
  return listAnswer(kind, objects, {}, { negotiated, includeObject, now: view.time });
}

async function getStatus(request: ResourceRequest, health: ComponentHealth): Promise<Answer | Failure> {
  const { kind, query, negotiated, view, name = '' } = request;
  const object = (await statuses(health)).find(({ metadata }) => metadata.name === name);
  if (!object) return notFound('componentstatus', name);
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  if (isFailure(includeObject)) return includeObject;
  return oneAnswer(200, kind, object, { negotiated, includeObject, now: view.time });
}

async function statuses({ apps, trouble }: ComponentHealth): Promise<KubeObject[]> {
  const reason = await trouble();
  return [
    ...components.map(({ name, app, port }) =>
      apps.includes(app)
        ? statusOf(name, 'ok')
        : statusOf(name, undefined, `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`),
    ),
    reason === undefined ? statusOf('etcd-0', 'ok') : statusOf('etcd-0', undefined, '', reason),
  ];
}

/** Nobody has made these objects, so they have neither uid nor version. */
function statusOf(name: string, healthy: string | undefined, problem = '', error?: string): KubeObject {
  const condition = {
    type: 'Healthy',
    status: healthy === undefined ? 'False' : 'True',
    ...((healthy ?? problem) ? { message: healthy ?? problem } : {}),
    ...(error === undefined ? {} : { error }),
  };
  return { metadata: { name }, conditions: [condition] } as unknown as KubeObject;
}
