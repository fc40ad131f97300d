import type { RecordedEvent } from '#libs/event-log';
import type { KubeObject } from '#libs/kernel';
import type { Report } from './report';

const lifecycleController = 'node-lifecycle-controller';

interface Taint {
  key: string;
  effect: string;
  timeAdded?: string;
}

/** The taint that the API server gives every new node; one that the controller put on later says since when. */
const isOfNewNode = ({ key, effect, timeAdded }: Taint): boolean =>
  key === 'node.kubernetes.io/not-ready' && effect === 'NoSchedule' && timeAdded === undefined;

const taintsOf = (node: KubeObject | undefined): Taint[] => (node?.spec?.taints ?? []) as Taint[];

const isNew = (node: KubeObject | undefined): boolean => taintsOf(node).some(isOfNewNode);

/** The controller has pods leave the node because it is not ready. */
const isLeft = (node: KubeObject | undefined): boolean =>
  taintsOf(node).some(({ key, effect }) => effect === 'NoExecute' && /^node\.kubernetes\.io\/(not-ready|unreachable)$/.test(key));

/**
 * That the node lifecycle controller has taken up a node: upstream says so at its next look around, here it is said when the taint of
 * a new node goes, or is joined by one of NoExecute: whichever comes first.
 */
export function registered({ before, object }: { before?: KubeObject; object: KubeObject }, event: RecordedEvent): Report[] {
  // An append says it once, however many events it has.
  if (event.metadata.actor !== lifecycleController || event.metadata.i !== 1 || !isNew(before) || isLeft(before)) return [];
  if (isNew(object) && !isLeft(object)) return [];
  const { name, uid } = object.metadata;
  const message = `Node ${name} event: Registered Node ${name} in Controller`;
  const regarding = { apiVersion: 'v1', kind: 'Node', name, uid };
  return [{ regarding, type: 'Normal', reason: 'RegisteredNode', message, component: 'node-controller' }];
}
