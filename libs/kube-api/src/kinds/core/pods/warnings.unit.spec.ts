import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { releaseKinds } from '../..';
import { applyDefaults } from '../../../defaults';
import { prepareForCreate, prepareForUpdate } from '../../../strategy';
import { validateUpdate, warningsOf } from '../../../validation';

const pods = releaseKinds.kindOf('pods');
const container = { name: 'c', image: 'app:1' };
const pod = (spec: object, annotations?: Record<string, string>, status?: object): KubeObject =>
  applyDefaults(pods, {
    metadata: { name: 'p', namespace: 'a', ...(annotations ? { annotations } : {}) },
    spec: { containers: [container], ...spec },
    ...(status ? { status } : {}),
  } as unknown as KubeObject);
const created = (object: KubeObject): KubeObject => prepareForCreate(pods, object, { now: 0, uid: 'u' });
const warned = (object: KubeObject): string[] => warningsOf(pods, created(object), undefined, { sent: object });

describe('a new pod is warned about', () => {
  it.each([
    [
      'old labels wherever nodes are chosen',
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['a b'] }] } },
            ],
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'beta.kubernetes.io/arch', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      },
      [
        'matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14',
        'matchExpressions[0].values[0]: a b is invalid, ',
        'topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/arch is deprecated',
      ],
    ],
    ['an overhead of half a byte', { overhead: { memory: '1500m' } }, ['spec.overhead[memory]: fractional byte value "1500m"']],
    [
      'addresses of the old kind',
      { hostAliases: [{ ip: '010.0.0.1' }], dnsPolicy: 'None', dnsConfig: { nameservers: ['::ffff:1.2.3.4'] } },
      ['spec.dnsConfig.nameservers[0]: non-standard IP address', 'spec.hostAliases[0].ip: non-standard IP address "010.0.0.1"'],
    ],
    [
      'files of a volume that hide one another',
      {
        volumes: [
          {
            name: 'p',
            projected: { sources: [{ secret: { name: 's', items: [{ key: 'a', path: 'b' }] } }, { serviceAccountToken: { path: 'b/c' } }] },
          },
          {
            name: 'c',
            configMap: {
              name: 'm',
              items: [
                { key: 'k', path: 'x/' },
                { key: 'l', path: 'x' },
              ],
            },
          },
          { name: 'fine', projected: {} },
        ],
      },
      [
        'volume "p" (Projected): overlapping paths: "b/c" (ServiceAccountToken) with "b" (Secret "s")',
        'volume "c" (ConfigMap "m"): overlapping paths: "x" with "x"',
      ],
    ],
    [
      'a variable that another one hides, unless that is made of it',
      {
        containers: [
          {
            ...container,
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '$(A)2' },
              { name: 'A', value: '3' },
            ],
          },
        ],
      },
      ['spec.containers[0].env[2]: hides previous definition of "A"'],
    ],
  ])('%s', (_, spec, texts) => {
    expect(warned(pod(spec))).toEqual(texts.map((text) => expect.stringContaining(text)));
  });

  it('profiles in annotations that say nothing any more', () => {
    const key = 'container.seccomp.security.alpha.kubernetes.io/c';
    expect(warned(pod({}, { [key]: 'unconfined' }))).toEqual([expect.stringContaining(`metadata.annotations[${key}]: non-functional`)]);
    const told = { containers: [{ ...container, securityContext: { seccompProfile: { type: 'Unconfined' } } }] };
    expect(warned(pod(told, { [key]: 'unconfined' }))).toEqual([]);
  });
});

describe('an AppArmor annotation of a new pod', () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/c';

  it.each([
    ['becomes a field', {}, 'localhost/x', { type: 'Localhost', localhostProfile: 'x' }, 1],
    ['says what the pod says', { securityContext: { appArmorProfile: { type: 'Unconfined' } } }, 'unconfined', undefined, 0],
    ['says nothing', {}, 'localhost/', undefined, 1],
  ])('%s', (_, spec, annotation, profile, warnings) => {
    const object = pod(spec, { [key]: annotation });
    expect(created(object).spec.containers[0].securityContext?.appArmorProfile).toEqual(profile);
    expect(warned(object)).toHaveLength(warnings);
    // What has become a field is not told again.
    const again = created(object);
    expect(created(again).spec).toEqual(again.spec);
  });
});

describe('a pod', () => {
  it('is of the class that was told, and of none that former annotations tell', () => {
    const old = 'pod.beta.kubernetes.io/init-containers';
    const object = created(pod({}, { [old]: '[]' }, { qosClass: 'Guaranteed' }));
    expect(object.status).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' });
    expect(object.metadata.annotations).toBeUndefined();
  });

  it('keeps restart policies of sidecars, and no other ones of containers', () => {
    const init = (restartPolicy: string) => pod({ initContainers: [{ name: 'i', image: 'x:1', restartPolicy }] }).spec.initContainers[0];
    expect(init('Always').restartPolicy).toBe('Always');
    expect(init('Never').restartPolicy).toBeUndefined();
  });

  it('has one address of each family, told of users that there are, and conditions with names', () => {
    const old = created(pod({}));
    const wrong = {
      ...old.status,
      podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }],
      conditions: [{ type: '', status: 'True' }],
      containerStatuses: [{ name: 'c', user: { linux: { uid: -1, gid: 0 } } }],
    };
    const fields = validateUpdate(pods, prepareForUpdate(pods, { ...old, status: wrong }, old, 'status'), old, 'status').map(
      ({ field }) => field,
    );
    expect(fields).toEqual([
      'status.conditions[0].Type',
      'status.conditions[0].Type',
      'status.podIPs',
      'status.containerStatuses[0].user.linux.uid',
    ]);
    const legacy = { ...old, status: { ...old.status, podIP: '010.0.0.1', podIPs: [{ ip: '010.0.0.1' }] } };
    expect(validateUpdate(pods, legacy, old, 'status')).toEqual([]);
    expect(warningsOf(pods, legacy, old, { subresource: 'status' })).toHaveLength(1);
  });
});
