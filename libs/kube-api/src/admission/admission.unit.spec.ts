import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { goldenPresent, goldenSteps } from '../status/golden-sessions.fixture';
import { admitAfterPriority, admitBeforePriority, admitUpdate, admitValidated, refusedAs } from './admit';
import { admitNamespaceDeletion, admitToNamespace } from './namespace-lifecycle';
import {
  admitPriorityClass,
  admitPriorityClassDeletion,
  isRefusal,
  keepPriority,
  priorityClassFacts,
  priorityClassLookup,
  resolvePodPriority,
  systemPriorityClasses,
  withPriority,
} from './priority';
import type { PriorityClassFacts } from './priority';
import { admitServiceAccount } from './service-account';
import { withDefaultTolerations, withNotReadyTaint } from './tolerations';

function pod(spec: object = {}, metadata: object = {}): KubeObject {
  return {
    metadata: { name: 'p', namespace: 'n', uid: 'u', creationTimestamp: '', ...metadata },
    spec: { containers: [{ name: 'c' }], ...spec },
  };
}

describe('pod priority', () => {
  const classes = (...facts: PriorityClassFacts[]) => priorityClassLookup(new Map(facts.map((fact) => [fact.name, fact])));
  const high = { name: 'high', value: 1000, preemptionPolicy: 'Never' };
  const byDefault = { name: 'def', value: 77, globalDefault: true };

  it('is that of the class, of the default class, or 0', () => {
    expect(resolvePodPriority({ priorityClassName: 'high' }, classes(high))).toEqual({
      priorityClassName: 'high',
      priority: 1000,
      preemptionPolicy: 'Never',
    });
    expect(resolvePodPriority({}, classes(high, byDefault))).toEqual({
      priorityClassName: 'def',
      priority: 77,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    expect(resolvePodPriority({}, classes(high))).toEqual({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });

  it('takes the lowest of several defaults', () => {
    const lookup = classes(byDefault, { name: 'a', value: 99, globalDefault: true }, { name: 'z', value: 5, globalDefault: true });
    expect(resolvePodPriority({}, lookup)).toMatchObject({ priorityClassName: 'z', priority: 5 });
  });

  it('refuses unknown classes and values that differ', () => {
    const refusal = (facts: object) => resolvePodPriority(facts, classes(high));
    expect(refusal({ priorityClassName: 'nope', priority: 5 })).toEqual({ refusal: 'no PriorityClass with name nope was found' });
    expect(isRefusal(refusal({ priorityClassName: 'high', priority: 5 }))).toBe(true);
    expect(isRefusal(refusal({ priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' }))).toBe(true);
    expect(isRefusal(refusal({ priorityClassName: '__proto__' }))).toBe(true);
    expect(isRefusal(refusal({ priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' }))).toBe(false);
  });

  it('is kept by updates that leave it out', () => {
    const old = pod({ priority: 5, preemptionPolicy: 'Never' });
    expect(keepPriority(pod(), old).spec).toMatchObject({ priority: 5, preemptionPolicy: 'Never' });
    expect(keepPriority(pod({ priority: null }), old).spec.priority).toBe(5);
    expect(keepPriority(pod({ priority: 9 }), old).spec.priority).toBe(9);
  });
});

describe.skipIf(!goldenPresent)('recorded PriorityClass rules', () => {
  it('are followed at every step that creates, updates or deletes a class or creates a pod', () => {
    const known = new Map<string, PriorityClassFacts>(systemPriorityClasses.map((fact) => [fact.name, fact]));
    let compared = 0;
    for (const { request, response, step } of goldenSteps('priorityclass-rules')) {
      const name = request.path.split('/').pop() as string;
      const refused = response.status === 403 ? (response.body.message as string) : undefined;
      if (request.path.endsWith('/pods') && request.method === 'POST') {
        const verdict = resolvePodPriority(request.body.spec, priorityClassLookup(known));
        const admitted = refusedAs('pods', request.body, isRefusal(verdict) ? verdict : withPriority(request.body, verdict));
        if (refused) expect(admitted, String(step)).toEqual(response.body);
        else {
          const { priorityClassName, priority, preemptionPolicy } = response.body.spec;
          expect((admitted as KubeObject).spec, String(step)).toMatchObject({ priority, preemptionPolicy });
          expect((admitted as KubeObject).spec.priorityClassName, String(step)).toBe(priorityClassName);
        }
        compared++;
      } else if (request.path.includes('/priorityclasses') && [200, 201, 403].includes(response.status) && request.method !== 'GET') {
        const before = known.get(name);
        const facts = request.method === 'POST' ? priorityClassFacts(request.body) : { ...(before as PriorityClassFacts), ...request.body };
        const operation = request.method === 'POST' ? 'create' : 'update';
        const verdict =
          request.method === 'DELETE' ? admitPriorityClassDeletion(name) : admitPriorityClass(operation, facts, known.values());
        expect(verdict && `priorityclasses.scheduling.k8s.io "${facts.name ?? name}" is forbidden: ${verdict.refusal}`, String(step)).toBe(
          refused,
        );
        compared++;
        if (verdict) continue;
        if (request.method === 'DELETE') known.delete(name);
        else known.set(facts.name, facts);
      }
    }
    expect(compared).toBeGreaterThan(40);
  });
});

describe('namespaces', () => {
  const find = (phase?: string) => () => (phase ? ({ ...pod(), status: { phase } } as KubeObject) : undefined);

  it('must exist and not be going away', () => {
    expect(admitToNamespace('create', 'configmaps', 'c', 'n', find('Active'))).toBeUndefined();
    expect(admitToNamespace('create', 'configmaps', 'c', 'n', find())).toMatchObject({ code: 404, message: 'namespaces "n" not found' });
    expect(admitToNamespace('create', 'configmaps', 'c', 'n', find('Terminating'))).toMatchObject({ code: 403 });
    expect(admitToNamespace('update', 'configmaps', 'c', 'n', find('Terminating'))).toBeUndefined();
  });

  it('of the system stay, kube-node-lease may go', () => {
    expect(admitNamespaceDeletion('kube-system')).toMatchObject({
      code: 403,
      message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    });
    expect(admitNamespaceDeletion('kube-node-lease')).toBeUndefined();
  });
});

describe('service accounts', () => {
  const account: KubeObject = { metadata: { name: 'default', namespace: 'n', uid: 'a', creationTimestamp: '' } };
  const admit = (object: KubeObject, sa: KubeObject | undefined = account) => admitServiceAccount(object, () => sa, 'abcde');

  it('are filled in with their token', () => {
    const admitted = admit(pod()) as KubeObject;
    expect(admitted.spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [{ volumeMounts: [{ name: 'kube-api-access-abcde', readOnly: true }] }],
      volumes: [{ name: 'kube-api-access-abcde', projected: { defaultMode: 420 } }],
    });
  });

  it('are left alone where token or mount are there or unwanted', () => {
    expect((admit(pod({ automountServiceAccountToken: false })) as KubeObject).spec).not.toHaveProperty('volumes');
    expect((admit(pod(), { ...account, automountServiceAccountToken: false }) as KubeObject).spec).not.toHaveProperty('volumes');
    const present = { name: 'kube-api-access-mine', emptyDir: {} };
    expect((admit(pod({ volumes: [present] })) as KubeObject).spec.volumes).toEqual([present]);
    const mounts = [{ name: 'x', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }];
    expect((admit(pod({ containers: [{ name: 'c', volumeMounts: mounts }] })) as KubeObject).spec).not.toHaveProperty('volumes');
  });

  it('lend their image secrets', () => {
    const lender = { ...account, imagePullSecrets: [{ name: 'reg' }] };
    expect((admit(pod(), lender) as KubeObject).spec.imagePullSecrets).toEqual([{ name: 'reg' }]);
    expect((admit(pod({ imagePullSecrets: [{ name: 'own' }] }), lender) as KubeObject).spec.imagePullSecrets).toEqual([{ name: 'own' }]);
  });

  it('must exist, and are not for mirror pods', () => {
    expect(admitServiceAccount(pod({ serviceAccountName: 'missing' }), () => undefined, '')).toEqual({
      refusal: 'error looking up service account n/missing: serviceaccount "missing" not found',
    });
    const mirror = (spec: object) => admit(pod(spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } }));
    expect(mirror({})).toEqual(pod({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }));
    expect(mirror({ serviceAccountName: 'default' })).toEqual({ refusal: 'a mirror pod may not reference service accounts' });
    expect(mirror({ volumes: [{ name: 's', secret: {} }] })).toEqual({ refusal: 'a mirror pod may not reference secrets' });
  });
});

describe('tolerations and taints', () => {
  it('are added where they are missing', () => {
    const keys = (object: KubeObject) => object.spec.tolerations.map(({ key }: { key?: string }) => key);
    expect(keys(withDefaultTolerations(pod()))).toEqual(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
    expect(withDefaultTolerations(pod({ tolerations: [own] })).spec.tolerations[0]).toEqual(own);
    expect(keys(withDefaultTolerations(pod({ tolerations: [{ operator: 'Exists' }] })))).toEqual([undefined]);
    const node = withNotReadyTaint({ ...pod(), spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } });
    expect(node.spec.taints).toEqual([
      { key: 'k', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
    expect(withNotReadyTaint(node)).toBe(node);
  });
});

describe('the chain', () => {
  const lookup = {
    namespace: () => ({ ...pod(), status: { phase: 'Active' } }) as KubeObject,
    serviceAccount: () => pod(),
    suffix: () => 'abcde',
  };

  it('refuses with the name that was asked for', () => {
    const unnamed = pod({ runtimeClassName: 'missing' }, { name: '', generateName: 'p-' });
    expect(admitAfterPriority('pods', unnamed, lookup)).toMatchObject({
      message: 'pods "p-" is forbidden: pod rejected: RuntimeClass "missing" not found',
    });
    expect(admitValidated('pods', pod({ overhead: { cpu: '1' } }), lookup)).toMatchObject({
      message: 'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    });
  });

  it('passes what it does not concern', () => {
    const object = pod();
    expect(admitBeforePriority('configmaps', object, lookup)).toBe(object);
    expect(admitUpdate('configmaps', object, object)).toBe(object);
    expect(
      (admitBeforePriority('nodes', { metadata: { name: 'x', uid: '', creationTimestamp: '' } }, lookup) as KubeObject).spec.taints,
    ).toHaveLength(1);
  });
});
