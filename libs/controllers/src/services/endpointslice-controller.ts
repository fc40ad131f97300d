import { conditionOf, type ClusterState, type FoldedAppend } from '#libs/cluster-state';
import type { DecisionContext, Reconciler, Reconciliation, Step } from '#libs/control-loop';
import type { Fact } from '#libs/events';
import type { KubeObject, ObjectKey } from '#libs/kernel';
import { report } from '../loop/report';
import {
  addressTypesOf,
  endpointSlices,
  isNamespaceGoing,
  isOwnedBy,
  isSelecting,
  managedByLabel,
  serviceKeyOf,
  services,
  slicesOf,
} from './service';
import { ServiceMembers } from './service-members';
import { annotationsOf, creation, deletion, recycled, replacement, sliceObject, type SliceChanges } from './slice-changes';
import { hinted, HintedZones, type ZonesOfType } from './slice-hints';
import { sliceChanges, sliceManager, wantedSlices } from './slice-plan';
import { zoneShares } from './topology';
import { seenTimes, TriggerTimes, type SeenTimes } from './trigger-times';

const name = 'endpointslice-controller';
const component = 'endpoint-slice-controller';
/** A slice that somebody else has changed is looked at so much later, ms. */
const foreignChangeDelayMs = 1_000;
/** How often a Service with a pod on a node that is not there is looked at again; each time after twice as long, from a second on. */
const retriesMax = 15;

interface SliceIndex {
  members: ServiceMembers;
  triggers: TriggerTimes;
  zones: HintedZones;
  /** Services of which somebody else has changed a slice: when to look at them, ms. */
  delayed: Map<ObjectKey, number>;
  /** Looks in a row at which a node was missing. */
  retries: Map<ObjectKey, number>;
}

/** What is remembered of a look at a Service. */
interface LookMemory {
  times: SeenTimes;
  zones: ZonesOfType[];
  isNodeMissing: boolean;
}

/** Keeps the EndpointSlices of each Service that selects pods (upstream endpointslice controller). Subjects: `NAMESPACE/NAME` of Services. */
export const endpointSliceController: Reconciler<SliceIndex> = {
  name,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  backOff: { firstMs: 1_000, maxMs: 1_000_000 },
  index: (cluster) => ({
    members: new ServiceMembers(cluster),
    triggers: new TriggerTimes(),
    zones: new HintedZones(),
    delayed: new Map(),
    retries: new Map(),
  }),
  allSubjects: (_index, cluster) => cluster.table(services).keys(),

  follows: [services, 'pods', endpointSlices, 'nodes'],
  *follow({ members, zones, delayed }, append, cluster): Iterable<ObjectKey> {
    const { change, time } = append;
    if (!change) return;
    for (const key of members.follow(change, cluster)) {
      delayed.delete(key);
      yield key;
    }
    if (change.resource === endpointSlices) {
      for (const key of touchedByOthers(append)) {
        delayed.set(key, time + foreignChangeDelayMs);
        yield key;
      }
    } else if (change.resource === 'nodes' && !zones.isEmpty && countsOtherwise(change.before, change.object, change.type)) {
      yield* zones.overloaded(zoneShares(cluster));
    }
  },

  reconcile: syncSlices,

  looked({ triggers, zones, retries, delayed }, key, memory, now) {
    if ((delayed.get(key) ?? 0) > now) return;
    delayed.delete(key);
    const seen = memory as LookMemory | undefined;
    triggers.note(key, seen?.times);
    zones.note(key, seen?.zones);
    if (seen?.isNodeMissing) retries.set(key, (retries.get(key) ?? 0) + 1);
    else retries.delete(key);
  },
};

function* touchedByOthers({ change, events }: FoldedAppend): Iterable<ObjectKey> {
  if (!change || events[0]?.metadata.actor === name) return;
  const { before, object } = change;
  const isOurs = (slice: KubeObject | undefined): boolean => slice?.metadata.labels?.[managedByLabel] === sliceManager;
  const then = before && serviceKeyOf(before);
  const now = serviceKeyOf(object);
  if (now && (isOurs(object) || isOurs(before) || (before && then !== now))) yield now;
  if (then && then !== now) yield then;
}

function countsOtherwise(before: KubeObject | undefined, after: KubeObject, type: string): boolean {
  const zone = 'topology.kubernetes.io/zone';
  const isReady = (node: KubeObject): boolean => conditionOf(node, 'Ready')?.status === 'True';
  return (
    type !== 'MODIFIED' || !before || isReady(before) !== isReady(after) || before.metadata.labels?.[zone] !== after.metadata.labels?.[zone]
  );
}

function syncSlices(cluster: ClusterState, index: SliceIndex, key: ObjectKey, context: DecisionContext): Reconciliation | undefined {
  const service = cluster.byKey(services, key);
  if (!service || !isSelecting(service)) return undefined;
  const at = index.delayed.get(key);
  if (at !== undefined && at > context.now) return { steps: [], wakeAt: at };
  const pods = index.members.podsOf(cluster, service);
  const existing = slicesOf(cluster, key, sliceManager);
  const times = seenTimes(service, pods);
  const types = addressTypesOf(service);
  const found: SliceChanges = { create: [], update: [], delete: existing.filter(({ addressType }) => !types.includes(addressType)) };
  const memory: LookMemory = { times, zones: [], isNodeMissing: false };
  const records: Fact[] = [];
  const missing: string[] = [];
  for (const type of types) {
    const ofType = existing.filter(({ addressType }) => addressType === type);
    const wanted = wantedSlices(service, pods, (pod) => cluster.get('nodes', undefined, pod.spec?.nodeName ?? ''), type);
    for (const { metadata, spec } of wanted.withoutNode) {
      missing.push(`skipping Pod ${metadata.name} for Service ${key}: Node ${spec?.nodeName ?? ''} Not Found`);
    }
    const marked = hinted(cluster, service, sliceChanges(service, wanted, ofType, type), ofType, type, index.zones.has(key));
    records.push(...marked.events.map((event) => report(component, services, service, event)));
    memory.zones.push({ type, zones: marked.zones });
    const final = recycled(marked.changes, (slice) => isOwnedBy(slice, service));
    found.create.push(...final.create);
    found.update.push(...final.update);
    found.delete.push(...final.delete);
  }
  const again = index.retries.get(key) ?? 0;
  if (missing.length > 0) records.push(unplaced(service, key, missing));
  memory.isNodeMissing = missing.length > 0;
  const wakeAt = missing.length > 0 && again < retriesMax ? context.now + 1_000 * 2 ** again : undefined;
  const steps = stepsOf(cluster, service, found, index.triggers.triggerOf(key, times));
  return { records, steps, sequential: true, wakeAt, memory };
}

function unplaced(service: KubeObject, key: ObjectKey, problems: readonly string[]): Fact {
  const said = [...new Set(problems)];
  const text = said.length === 1 ? said[0] : `[${said.join(', ')}]`;
  const message = `Error updating Endpoint Slices for Service ${key}: ${text}`;
  return report(component, services, service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message });
}

function stepsOf(cluster: ClusterState, service: KubeObject, changes: SliceChanges, trigger: number | undefined): Step[] {
  const { name: called, namespace = '', deletionTimestamp } = service.metadata;
  // Its slices are being collected, or nothing can be created there any more.
  const mayCreate = deletionTimestamp === undefined && !isNamespaceGoing(cluster, namespace);
  const owner = { object: service, kind: 'Service' as const, generateName: `${called}-` };
  const steps = (mayCreate ? changes.create : []).map((plan, index) =>
    creation(sliceObject(plan, owner, annotationsOf(plan, trigger)), index),
  );
  for (const plan of changes.update) {
    steps.push(replacement(sliceObject(plan, owner, annotationsOf(plan, trigger))));
  }
  return [...steps, ...changes.delete.map(deletion)];
}
