import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { isFailure } from '../status';
import { bindPod, readBinding } from '../kinds/core/pods/binding';
import { beginDeletion, checkPreconditions, removedByUpdate } from './deletion';
import { isNoChange } from './equality';
import { withGeneratedName } from './generate-name';
import { prepareForCreate, prepareForUpdate } from './prepare';
import { podQosClass } from '../kinds/core/pods/qos';
import { applyScale, scaleOf } from './scale';
import { releaseKinds } from '../kinds';

const kindOf = (name: string) => releaseKinds.kindOf(name);

const now = Date.parse('2026-01-01T00:00:00Z');
const context = { now, uid: 'uid-1' };

function object(fields: Partial<KubeObject> = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { ...fields, metadata: { name: 'x', namespace: 'n', uid: 'u', creationTimestamp: '2025-01-01T00:00:00Z', ...metadata } };
}

const container = { name: 'c', image: 'app:1' };

describe('creating', () => {
  it('sets system fields and drops what clients may not set', () => {
    const created = prepareForCreate(
      kindOf('configmaps'),
      object({}, { uid: 'mine', deletionTimestamp: 'x', deletionGracePeriodSeconds: 3, generation: 5, resourceVersion: '9' }),
      context,
    );
    expect(created.metadata).toEqual({ name: 'x', namespace: 'n', uid: 'uid-1', creationTimestamp: '2026-01-01T00:00:00Z', generation: 5 });
  });

  it('makes pods Pending with their class of service', () => {
    const pod = prepareForCreate(
      kindOf('pods'),
      object({ spec: { containers: [container] }, status: { phase: 'Running' } }, { generation: 5 }),
      context,
    );
    expect(pod.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(pod.metadata.generation).toBe(1);
  });

  it('shows scheduling gates as a condition', () => {
    const pod = prepareForCreate(
      kindOf('pods'),
      object({ spec: { containers: [container], schedulingGates: [{ name: 'a/b' }] } }),
      context,
    );
    expect(pod.status.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: '2026-01-01T00:00:00Z',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ]);
  });

  it('merges matchLabelKeys into the selectors', () => {
    const term = { labelSelector: { matchLabels: { a: 'b' } }, topologyKey: 'zone', matchLabelKeys: ['v'], mismatchLabelKeys: ['t'] };
    const spec = {
      containers: [container],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}, matchLabelKeys: ['v'] },
      ],
    };
    const pod = prepareForCreate(kindOf('pods'), object({ spec }, { labels: { v: '1', t: 'x' } }), context);
    expect(pod.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions).toEqual([
      { key: 'v', operator: 'In', values: ['1'] },
      { key: 't', operator: 'NotIn', values: ['x'] },
    ]);
    expect(pod.spec.topologySpreadConstraints[0].labelSelector.matchExpressions).toEqual([{ key: 'v', operator: 'In', values: ['1'] }]);
  });

  it('gives each kind its first status', () => {
    expect(prepareForCreate(kindOf('deployments.apps'), object({ spec: {}, status: { replicas: 3 } }), context).status).toEqual({});
    expect(prepareForCreate(kindOf('replicasets.apps'), object({ spec: {} }), context).status).toEqual({ replicas: 0 });
    expect(prepareForCreate(kindOf('nodes'), object({ status: { capacity: { cpu: '1' } } }), context).status).toEqual({
      capacity: { cpu: '1' },
    });
    expect(prepareForCreate(kindOf('configmaps'), object({ data: {} }), context)).not.toHaveProperty('status');
    expect(prepareForCreate(kindOf('priorityclasses.scheduling.k8s.io'), object({ value: 1 }), context).metadata.generation).toBe(1);
  });

  it('makes a namespace Active and held', () => {
    const namespace = prepareForCreate(kindOf('namespaces'), object({ status: { phase: 'Odd' } }), context);
    expect(namespace).toMatchObject({
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('generates names of at most 63 characters', () => {
    expect(withGeneratedName(object({}, { name: '', generateName: 'shop-' }), 'abcde').metadata.name).toBe('shop-abcde');
    expect(withGeneratedName(object({}, { name: '', generateName: 'x'.repeat(80) }), 'abcde').metadata.name).toHaveLength(63);
    expect(withGeneratedName(object({}, { name: 'fixed', generateName: 'shop-' }), 'abcde').metadata.name).toBe('fixed');
  });
});

describe('class of service', () => {
  const pod = (...resources: unknown[]) => object({ spec: { containers: resources.map((r) => ({ ...container, resources: r })) } });
  const whole = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } };

  it('is Guaranteed only where every container has equal requests and limits', () => {
    expect(podQosClass(pod(whole))).toBe('Guaranteed');
    expect(podQosClass(pod(whole, {}))).toBe('Burstable');
    expect(podQosClass(pod({ requests: { cpu: '100m' } }))).toBe('Burstable');
    expect(podQosClass(pod({ requests: { cpu: '0', 'example.com/gpu': '1' } }))).toBe('BestEffort');
    expect(podQosClass(pod())).toBe('BestEffort');
  });

  it('counts init containers, too', () => {
    const withInit = (resources: unknown): Parameters<typeof podQosClass>[0] =>
      object({ spec: { containers: [{ ...container, resources: whole }], initContainers: [{ ...container, name: 'i', resources }] } });
    expect(podQosClass(withInit(whole))).toBe('Guaranteed');
    expect(podQosClass(withInit({}))).toBe('Burstable');
  });

  it("goes by the pod's own resources where it has some", () => {
    expect(podQosClass(object({ spec: { containers: [container], resources: whole } }))).toBe('Guaranteed');
    expect(podQosClass(object({ spec: { containers: [{ ...container, resources: whole }], resources: { requests: { cpu: '1' } } } }))).toBe(
      'Burstable',
    );
  });
});

describe('updating', () => {
  const deployment = object({ spec: { replicas: 1 }, status: { replicas: 1 } }, { generation: 3, labels: { a: 'b' } });

  it('raises the generation with the spec, and with the annotations of a Deployment', () => {
    const update = (change: Partial<KubeObject>, resource = 'deployments.apps') =>
      prepareForUpdate(kindOf(resource), { ...deployment, ...change }, deployment).metadata.generation;
    expect(update({ spec: { replicas: 2 } })).toBe(4);
    expect(update({ status: { replicas: 9 } })).toBe(3);
    expect(update({ metadata: { ...deployment.metadata, labels: { c: 'd' } } })).toBe(3);
    const annotated = { ...deployment.metadata, annotations: { c: 'd' } };
    expect(update({ metadata: annotated })).toBe(4);
    expect(update({ metadata: annotated }, 'replicasets.apps')).toBe(3);
    expect(update({ metadata: { ...deployment.metadata, generation: 99 } })).toBe(3);
  });

  it('keeps the status, or everything but the status', () => {
    const changed = {
      ...deployment,
      spec: { replicas: 5 },
      status: { replicas: 7 },
      metadata: { ...deployment.metadata, labels: { z: '1' } },
    };
    expect(prepareForUpdate(kindOf('deployments.apps'), changed, deployment).status).toEqual({ replicas: 1 });
    const status = prepareForUpdate(kindOf('deployments.apps'), changed, deployment, 'status');
    expect(status).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 7 }, metadata: { labels: { a: 'b' }, generation: 3 } });
  });

  it('does not take back a deletion', () => {
    const old = object({}, { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 });
    expect(prepareForUpdate(kindOf('configmaps'), object({}, { uid: '' }), old).metadata).toMatchObject({
      uid: 'u',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
  });

  it('keeps spec and owners of a pod at pods/status, and observed generations', () => {
    const condition = { type: 'Ready', status: 'True', observedGeneration: 2 };
    const old = object({ spec: { containers: [container] }, status: { qosClass: 'BestEffort', conditions: [condition] } });
    const updated = object(
      { spec: { containers: [] }, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } },
      { ownerReferences: [], labels: { a: 'b' } },
    );
    const pod = prepareForUpdate(kindOf('pods'), updated, old, 'status');
    expect(pod).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { containers: [container] },
      status: { phase: 'Running', qosClass: 'BestEffort', conditions: [{ type: 'Ready', status: 'False', observedGeneration: 2 }] },
    });
    expect(pod.metadata).not.toHaveProperty('ownerReferences');
  });

  it('reaches only its list through pods/ephemeralcontainers, only resources through pods/resize', () => {
    const old = object({ spec: { containers: [{ ...container, resources: {} }] }, status: {} }, { generation: 1 });
    const debug = { name: 'dbg', image: 'busybox' };
    const ephemeral = prepareForUpdate(
      kindOf('pods'),
      object({ spec: { containers: [], ephemeralContainers: [debug] } }, { labels: { a: 'b' } }),
      old,
      'ephemeralcontainers',
    );
    expect(ephemeral.spec).toEqual({ ...old.spec, ephemeralContainers: [debug] });
    expect(ephemeral.metadata).toMatchObject({ generation: 2 });
    expect(ephemeral.metadata).not.toHaveProperty('labels');
    const resources = { requests: { cpu: '2' } };
    const resized = prepareForUpdate(
      kindOf('pods'),
      object({ spec: { nodeName: 'z', containers: [{ ...container, image: 'other', resources }] } }),
      old,
      'resize',
    );
    expect(resized.spec).toEqual({ containers: [{ ...container, resources }] });
  });

  it('lets namespace finalizers change through /finalize only', () => {
    const old = object({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
    const updated = object({ spec: { finalizers: [] }, status: { phase: 'Active' } });
    expect(prepareForUpdate(kindOf('namespaces'), updated, old)).toMatchObject({
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    expect(prepareForUpdate(kindOf('namespaces'), updated, old, 'finalize')).toMatchObject({
      spec: { finalizers: [] },
      status: { phase: 'Terminating' },
    });
  });

  it('sees a write that changes nothing', () => {
    const old = object({ data: { a: '1' } }, { resourceVersion: '5', labels: {} });
    expect(isNoChange(old, object({ data: { a: '1' } }, { resourceVersion: '3' }))).toBe(true);
    expect(isNoChange(old, object({ data: { a: '2' } }))).toBe(false);
    expect(isNoChange(object({ spec: { volumes: [{ emptyDir: {} }] } }), object({ spec: { volumes: [{}] } }))).toBe(false);
  });
});

describe('deleting', () => {
  const bound = object({ spec: { nodeName: 'n1', terminationGracePeriodSeconds: 30 }, status: { phase: 'Running' } }, { generation: 1 });
  const begin = (pod: KubeObject, options = {}, at = now) => beginDeletion(kindOf('pods'), pod, options, at);

  it('gives a running pod its grace, and counts it as a change', () => {
    const { outcome, object: pod } = begin(bound);
    expect(outcome).toBe('mark');
    expect(pod.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30, generation: 2 });
  });

  it('removes unbound and finished pods at once, in two writes', () => {
    for (const pod of [object({ spec: {} }), { ...bound, status: { phase: 'Failed' } }]) {
      expect(begin(pod, { gracePeriodSeconds: 20 })).toMatchObject({
        outcome: 'remove',
        marked: true,
        object: { metadata: { deletionGracePeriodSeconds: 0 } },
      });
    }
    expect(begin(bound, { gracePeriodSeconds: 0 }).outcome).toBe('remove');
    expect(begin(bound, { gracePeriodSeconds: -5 }).object.metadata.deletionGracePeriodSeconds).toBe(1);
  });

  it('only ever shortens the grace', () => {
    const terminating = begin(bound).object;
    expect(begin(terminating).outcome).toBe('unchanged');
    expect(begin(terminating, { gracePeriodSeconds: 100 }).outcome).toBe('unchanged');
    const shorter = begin(terminating, { gracePeriodSeconds: 10 }, now + 5000).object;
    expect(shorter.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 10, generation: 2 });
    const late = begin(terminating, { gracePeriodSeconds: 10 }, now + 20_000).object;
    expect(late.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 1 });
    expect(begin(terminating, { gracePeriodSeconds: 0 }).outcome).toBe('remove');
  });

  it('keeps what finalizers hold', () => {
    const held = object({}, { finalizers: ['example.com/a'] });
    const { outcome, object: marked } = beginDeletion(kindOf('configmaps'), held, {}, now);
    expect(outcome).toBe('mark');
    expect(marked.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 });
    expect(beginDeletion(kindOf('configmaps'), marked, {}, now + 1000).outcome).toBe('unchanged');
    const free = { ...marked, metadata: { ...marked.metadata, finalizers: [] } };
    expect(removedByUpdate(kindOf('configmaps'), free, marked)).toBe(true);
    expect(removedByUpdate(kindOf('configmaps'), marked, marked)).toBe(false);
    expect(removedByUpdate(kindOf('configmaps'), free, held)).toBe(false);
  });

  it('turns the wish for dependants into finalizers', () => {
    const finalizers = (options: object, resource = 'configmaps') =>
      beginDeletion(kindOf(resource), object({}, { generation: 2 }), options, now).object.metadata;
    expect(finalizers({ propagationPolicy: 'Foreground' })).toMatchObject({ finalizers: ['foregroundDeletion'], generation: 3 });
    expect(finalizers({ propagationPolicy: 'Orphan' }).finalizers).toEqual(['orphan']);
    expect(finalizers({ orphanDependents: true }).finalizers).toEqual(['orphan']);
    expect(finalizers({ propagationPolicy: 'Background' }).finalizers).toBeUndefined();
    expect(finalizers({}, 'jobs.batch').finalizers).toEqual(['orphan']);
    expect(finalizers({ propagationPolicy: 'Orphan' }, 'events').finalizers).toBeUndefined();
  });

  it('lets a namespace go only after its controller', () => {
    const active = object({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    const { object: terminating } = beginDeletion(kindOf('namespaces'), active, {}, now);
    expect(terminating).toMatchObject({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { phase: 'Terminating' } });
    expect(terminating.metadata.deletionGracePeriodSeconds).toBeUndefined();
    expect(beginDeletion(kindOf('namespaces'), terminating, {}, now).outcome).toBe('unchanged');
    expect(removedByUpdate(kindOf('namespaces'), terminating, terminating)).toBe(false);
    expect(removedByUpdate(kindOf('namespaces'), { ...terminating, spec: {} }, terminating)).toBe(true);
  });

  it('checks preconditions', () => {
    expect(checkPreconditions('Pod', bound, { uid: 'u' })).toBeUndefined();
    expect(checkPreconditions('Pod', bound, { uid: 'v' })?.message).toContain(
      'the UID in the precondition (v) does not match the UID in record (u)',
    );
  });
});

describe('binding', () => {
  it('sets the node, the condition and the annotations', () => {
    const pod = object({ spec: {}, status: { phase: 'Pending' } }, { generation: 1 });
    const bound = bindPod(pod, { node: 'n1', annotations: { from: 'binding' } }, now) as KubeObject;
    expect(bound).toMatchObject({
      metadata: { generation: 1, annotations: { from: 'binding' } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    });
    expect(isFailure(bindPod(bound, { node: 'n2' }, now))).toBe(true);
    expect(isFailure(bindPod(pod, { node: 'n2', uid: 'other' }, now))).toBe(true);
  });

  it('refuses targets that are no node', () => {
    const body = object({ target: { kind: 'Pod' } });
    expect(readBinding(body, 'x')).toMatchObject({
      code: 500,
      message: '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
    });
    expect(readBinding(body, 'y')).toMatchObject({ code: 400 });
  });
});

describe('scaling', () => {
  const deployment = object({ spec: { replicas: 2, selector: { matchLabels: { app: 'shop' } } }, status: { replicas: 1 } });

  it('shows a workload as a Scale and writes it back', () => {
    expect(scaleOf(deployment)).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1, selector: 'app=shop' } });
    expect(applyScale('deployments.apps', deployment, object({ spec: { replicas: 0 } }))).toMatchObject({ spec: { replicas: 0 } });
    expect(applyScale('deployments.apps', deployment, object({ spec: { replicas: -1 } }))).toMatchObject({ code: 422 });
    expect(applyScale('deployments.apps', deployment, object({ spec: {} }, { name: 'other' }))).toMatchObject({ code: 400 });
  });
});
