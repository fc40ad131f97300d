import { flowControlObjects } from '#libs/kube-api';
import type { DefaultObject } from './default-object';

/** What answers to the administrator, to probes and to strangers name; the others come from a controller. */
const named: ReadonlySet<string> = new Set(['exempt', 'catch-all', 'probes']);

/** The flow schemas, with their priority levels, that the first answer may have to name. */
export function namedFlowControl(): DefaultObject[] {
  const { levels, schemas } = flowControlObjects();
  return [
    ...levels.map((object) => ({ resource: 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', object })),
    ...schemas.map((object) => ({ resource: 'flowschemas.flowcontrol.apiserver.k8s.io', object })),
  ]
    .filter(({ object }) => named.has(object.metadata.name))
    .map((own) => ({ ...own, manager: 'api-priority-and-fairness-config-producer-v1' }));
}
