import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { goldenPresent, goldenSteps } from '../status/golden-sessions.fixture';
import { releaseKinds } from '../kinds';
import { limitRangerConstraints, limitRangerDefaults } from './limit-ranger';
import { admissionPlugins } from './plugins';
import { judge, mutate, type Admission, type ReviewStep } from './chain';
import type { ReviewAnswer } from './review';
import { admissionSteps, refusedAs } from './steps';
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

const lookup = {
  namespace: () => ({ ...pod(), status: { phase: 'Active' } }) as KubeObject,
  serviceAccount: () => pod(),
  suffix: () => 'abcde',
};

function admissionOf(resource: string, fields: Partial<Admission> = {}): Admission {
  return { kind: releaseKinds.kindOf(resource), operation: 'CREATE', lookup, answers: [], ...fields };
}

const granted: ReviewAnswer = { type: 'PodAdmitted', data: { review: 'r', priority: 7, preemptionPolicy: 'Never' } };

describe('the steps of admission', () => {
  it('refuse with the name that was asked for', () => {
    const unnamed = pod({ runtimeClassName: 'missing' }, { name: '', generateName: 'p-' });
    expect(mutate(admissionSteps.mutate, unnamed, admissionOf('pods', { answers: [granted] }))).toMatchObject({
      status: { message: 'pods "p-" is forbidden: pod rejected: RuntimeClass "missing" not found' },
    });
    expect(judge('validate', admissionSteps.validate, pod({ overhead: { cpu: '1' } }), admissionOf('pods'))).toMatchObject({
      status: { message: 'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead' },
    });
  });

  it('pass what they do not concern', () => {
    const object = pod();
    expect(mutate(admissionSteps.mutate, object, admissionOf('configmaps'))).toEqual({ kind: 'admitted', object });
    expect(mutate(admissionSteps.mutate, object, admissionOf('configmaps', { operation: 'UPDATE', old: object }))).toEqual({
      kind: 'admitted',
      object,
    });
    const status = admissionOf('pods', { operation: 'UPDATE', old: object, subresource: 'status' });
    expect(mutate(admissionSteps.mutate, object, status)).toEqual({ kind: 'admitted', object });
    const node = { metadata: { name: 'x', uid: '', creationTimestamp: '' } };
    expect(mutate(admissionSteps.mutate, node, admissionOf('nodes'))).toMatchObject({
      object: { spec: { taints: [{ effect: 'NoSchedule' }] } },
    });
  });

  it("are in upstream's order: the priority after the service account, before tolerations and runtime class", () => {
    const asked = mutate(admissionSteps.mutate, pod({ runtimeClassName: 'missing' }), admissionOf('pods'));
    expect(asked).toMatchObject({
      kind: 'review',
      reviews: [
        { phase: 'mutate', reviewer: 'priority-admission', stream: 'admission-reviews', request: { type: 'PodAdmissionRequested' } },
      ],
    });
    const missing = { ...lookup, serviceAccount: () => undefined };
    expect(mutate(admissionSteps.mutate, pod(), admissionOf('pods', { lookup: missing }))).toMatchObject({ kind: 'refused' });
    expect(mutate(admissionSteps.mutate, pod(), admissionOf('pods', { answers: [granted] }))).toMatchObject({
      object: { spec: { priority: 7, preemptionPolicy: 'Never', tolerations: [{}, {}] } },
    });
  });
});

describe('reviews', () => {
  const reviewer = (name: string): ReviewStep => ({
    name,
    reviewer: name,
    stream: 'admission-reviews',
    handles: () => true,
    question: ({ spec }) => ({ type: 'PodAdmissionRequested', data: { name, spec } }),
    isAnswer: ({ type, data }) => type === 'Answered' && data.name === name,
    answered: (object, { data }) => (data.refusal ? refusedAs('pods', object, { refusal: data.refusal as string }) : object),
  });
  const steps = [reviewer('a'), reviewer('b')];
  const needed = (object: KubeObject, answers: ReviewAnswer[] = []) => {
    const judged = judge('validate', steps, object, admissionOf('pods', { answers }));
    return judged.kind === 'review' ? judged.reviews : [];
  };
  const answer = (name: string, question: string | undefined, refusal?: string): ReviewAnswer => ({
    type: 'Answered',
    data: { name, ...(question ? { question } : {}), ...(refusal ? { refusal } : {}) },
  });

  it('of a judging phase are all asked at once; those that have been answered are not asked again', () => {
    const [a, b] = needed(pod());
    expect([a?.reviewer, b?.reviewer]).toEqual(['a', 'b']);
    expect(a?.request.data.question).toBe(a?.question);
    expect(needed(pod(), [answer('a', a?.question)]).map((review) => review.reviewer)).toEqual(['b']);
  });

  it('count for the question they were given to: another one is asked again', () => {
    const [a, b] = needed(pod());
    const answers = [answer('a', a?.question), answer('b', b?.question)];
    expect(needed(pod(), answers)).toEqual([]);
    const changed = pod({ nodeName: 'x' });
    expect(needed(changed, answers)).toHaveLength(2);
    expect(needed(changed, [...answers, answer('b', needed(changed)[1]?.question)]).map((review) => review.reviewer)).toEqual(['a']);
    // Answers in logs of before say to nothing in particular what they were given.
    expect(needed(changed, [answer('a', undefined), answer('b', undefined)])).toEqual([]);
  });

  it('refuse in the order of the steps, when all have answered that come before', () => {
    const [a, b] = needed(pod());
    const no = answer('b', b?.question, 'no');
    expect(judge('validate', steps, pod(), admissionOf('pods', { answers: [no] }))).toMatchObject({ reviews: [{ reviewer: 'a' }] });
    const both = [answer('a', a?.question, 'never'), no];
    expect(judge('validate', steps, pod(), admissionOf('pods', { answers: both }))).toMatchObject({
      status: { message: 'pods "p" is forbidden: never' },
    });
  });

  it('of the mutating phase come one after the other, each about what the one before has made', () => {
    const colour = (name: string, value: string): ReviewStep => ({
      ...reviewer(name),
      answered: (object) => ({ ...object, spec: { ...object.spec, nodeName: value } }),
    });
    const chain = [colour('a', 'one'), colour('b', 'two')];
    const first = mutate(chain, pod(), admissionOf('pods'));
    if (first.kind !== 'review') throw new Error(first.kind);
    expect(first.reviews).toHaveLength(1);
    const answers = [answer('a', first.reviews[0]?.question)];
    const second = mutate(chain, pod(), admissionOf('pods', { answers }));
    if (second.kind !== 'review') throw new Error(second.kind);
    expect(second.reviews[0]?.request.data.spec).toMatchObject({ nodeName: 'one' });
    answers.push(answer('b', second.reviews[0]?.question));
    expect(mutate(chain, pod(), admissionOf('pods', { answers }))).toMatchObject({ object: { spec: { nodeName: 'two' } } });
  });
});

describe('plug-ins', () => {
  const kind = releaseKinds.kindOf('pods');
  const judged = (object: KubeObject, configuration?: object): string => {
    const lookup = { namespace: () => undefined, serviceAccount: () => undefined, suffix: () => 'x', configuration };
    const admission = { kind, operation: 'CREATE', lookup, answers: [] } as unknown as Admission;
    const result = judge('validate', admissionSteps.validate, object, admission);
    return result.kind === 'refused' ? String(result.status.message) : result.kind;
  };
  const none = { enabled: [], disabled: [], limitedResources: [] };

  it('keeps hard anti-affinity to nodes where that is asked for', () => {
    const spread = (topologyKey: string): KubeObject =>
      pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } });
    const zone = spread('topology.kubernetes.io/zone');
    const asked = { ...none, enabled: ['LimitPodHardAntiAffinityTopology'] };
    expect(judged(zone)).toBe('admitted');
    expect(judged(zone, asked)).toBe(
      'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed',
    );
    expect(judged(spread('kubernetes.io/hostname'), asked)).toBe('admitted');
  });

  it('that are turned off have no say', () => {
    const strict = { level: 'baseline', version: 'latest' } as const;
    const podSecurity = {
      defaults: { enforce: strict, audit: strict, warn: strict },
      exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
    };
    const unsafe = pod({ hostPID: true });
    expect(judged(unsafe, { ...none, podSecurity })).toBe(
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
    expect(judged(unsafe, { ...none, podSecurity, disabled: ['PodSecurity'] })).toBe('admitted');
    expect(judged(unsafe, { ...none, podSecurity: { ...podSecurity, exemptions: { ...podSecurity.exemptions, namespaces: ['n'] } } })).toBe(
      'admitted',
    );
  });

  it('stand in upstream’s order', () => {
    for (const phase of ['mutate', 'validate', 'charge'] as const) {
      const places = admissionSteps[phase].map(({ name }) => admissionPlugins.indexOf(name)).filter((place) => place >= 0);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
  });
});

describe('limit ranges', () => {
  const kind = releaseKinds.kindOf('pods');
  const rangeOf = (...limits: object[]): KubeObject =>
    ({ metadata: { name: 'l', namespace: 'n' }, spec: { limits } }) as unknown as KubeObject;
  const admissionWith = (ranges: readonly KubeObject[]): Admission => {
    const lookup = { namespace: () => undefined, serviceAccount: () => undefined, suffix: () => 'x', limitRanges: () => ranges };
    return { kind, operation: 'CREATE', lookup, answers: [] } as unknown as Admission;
  };
  const withResources = (requests: object | undefined, limits?: object): KubeObject =>
    pod({ containers: [{ name: 'c', resources: { requests, limits } }], initContainers: [{ name: 'i' }] });
  const refusalOf = (object: KubeObject, ...limits: object[]): string => {
    const result = judge('validate', [limitRangerConstraints], object, admissionWith([rangeOf(...limits)]));
    return result.kind === 'refused' ? String(result.status.message).replace('pods "p" is forbidden: ', '') : result.kind;
  };

  it('give containers what they leave open, and say so in an annotation', () => {
    const range = rangeOf({ type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m' } });
    const result = mutate([limitRangerDefaults], withResources({ cpu: '100m' }), admissionWith([range]));
    expect(result).toMatchObject({
      object: {
        metadata: {
          annotations: {
            'kubernetes.io/limit-ranger':
              'LimitRanger plugin set: cpu, memory limit for container c; cpu request for init container i; cpu, memory limit for init container i',
          },
        },
        spec: { containers: [{ resources: { requests: { cpu: '100m' }, limits: { cpu: '1', memory: '1Gi' } } }] },
      },
    });
  });

  it('hold containers to least and most, and to a ratio of limit to request', () => {
    const limit = { type: 'Container', min: { cpu: '200m' }, max: { cpu: '1' } };
    expect(refusalOf(withResources({ cpu: '100m' }, { cpu: '2' }), limit)).toBe(
      '[minimum cpu usage per Container is 200m, but request is 100m, maximum cpu usage per Container is 1, but limit is 2, ' +
        'minimum cpu usage per Container is 200m.  No request is specified, maximum cpu usage per Container is 1.  No limit is specified]',
    );
    const plain = pod({ containers: [{ name: 'c', resources: { requests: { cpu: '300m' }, limits: { cpu: '1' } } }] });
    expect(refusalOf(plain, { type: 'Container', maxLimitRequestRatio: { cpu: '3' } })).toBe(
      'cpu max limit to request ratio per Container is 3, but provided ratio is 3.333333',
    );
    expect(refusalOf(plain, { type: 'Container', maxLimitRequestRatio: { cpu: '4' } })).toBe('admitted');
  });

  it('hold pods to sums, of which init containers are a peak and sidecars a part', () => {
    const container = (name: string, memory: string, more: object = {}): object => ({
      name,
      resources: { requests: { memory }, limits: { memory } },
      ...more,
    });
    const sum = (initContainers: object[]): string =>
      refusalOf(pod({ containers: [container('a', '1Gi'), container('b', '1Gi')], initContainers }), {
        type: 'Pod',
        max: { memory: '2Gi' },
      });
    expect(sum([container('i', '2Gi')])).toBe('admitted');
    expect(sum([container('i', '3Gi')])).toBe('maximum memory usage per Pod is 2Gi, but limit is 3Gi');
    expect(sum([container('s', '512Mi', { restartPolicy: 'Always' })])).toBe('maximum memory usage per Pod is 2Gi, but limit is 2560Mi');
  });
});
