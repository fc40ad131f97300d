import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../../../defaults';
import { fieldErrorText } from '../../../../status';
import { validateCreate, validateUpdate } from '../../../../validation/validate';
import type { Loose } from '../../../../validation/values';
import { releaseKinds } from '../../..';

const kindOf = (name: string) => releaseKinds.kindOf(name);

function pod(spec: Loose = {}, container: Loose = {}, metadata: Loose = {}): KubeObject {
  return applyDefaults(kindOf('pods'), {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { containers: [{ name: 'c', image: 'app:1', ...container }], ...spec },
  } as KubeObject);
}

function found(object: KubeObject): string[] {
  return validateCreate(kindOf('pods'), object).map(fieldErrorText);
}

const volumes = [
  { name: 'v', emptyDir: {} },
  { name: 'claim', persistentVolumeClaim: { claimName: 'x' } },
];
const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } };

describe('a pod', () => {
  it('with everything right passes', () => {
    const container = {
      ports: [{ name: 'http', containerPort: 80 }],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        { name: 'D', valueFrom: { configMapKeyRef: { name: 'cm', key: 'k' } } },
      ],
      envFrom: [{ prefix: 'P_', secretRef: { name: 's' } }],
      volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a/b' }],
      volumeDevices: [{ name: 'claim', devicePath: '/dev/x' }],
      livenessProbe: { httpGet: { port: 'http', httpHeaders: [{ name: 'X-A', value: '1' }] } },
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
      resources: { requests: { cpu: '1', 'hugepages-2Mi': '4Mi' }, limits: { cpu: '2', 'hugepages-2Mi': '4Mi' } },
      securityContext: {
        runAsUser: 1,
        seccompProfile: { type: 'RuntimeDefault' },
        appArmorProfile: { type: 'Localhost', localhostProfile: 'p' },
      },
    };
    const spec = {
      volumes,
      serviceAccountName: 'default',
      hostAliases: [{ ip: '1.2.3.4', hostnames: ['a.b'] }],
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b.', '.'], options: [{ name: 'ndots', value: '2' }] },
      topologySpreadConstraints: [spread],
      tolerations: [{ operator: 'Exists' }, { key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 }],
      securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1' }], fsGroupChangePolicy: 'Always' },
    };
    expect(found(pod(spec, container))).toEqual([]);
  });

  const cases: [string, Loose, Loose, string][] = [
    [
      'names a container twice',
      {
        containers: [
          { name: 'c', image: 'a' },
          { name: 'c', image: 'b' },
        ],
      },
      {},
      'spec.containers[1].name: Duplicate value: "c"',
    ],
    [
      'pads an image',
      {},
      { image: 'app:1 ' },
      'spec.containers[0].image: Invalid value: "app:1 ": must not have leading or trailing whitespace',
    ],
    [
      'takes a host port twice',
      {},
      {
        ports: [
          { containerPort: 1, hostPort: 80 },
          { containerPort: 2, hostPort: 80 },
        ],
      },
      'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"',
    ],
    [
      'opens port 70000',
      {},
      { ports: [{ containerPort: 70000 }] },
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
    [
      'reads an unknown field',
      {},
      { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.x' } } }] },
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x',
    ],
    [
      'reads a field it may not',
      {},
      { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.phase' } } }] },
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
    [
      'divides wrongly',
      {},
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1k' } } }] },
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
    ],
    [
      'climbs out of a volume',
      { volumes },
      { volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a/../b' }] },
      'spec.containers[0].volumeMounts.subPath: Invalid value: "a/../b": must not contain \'..\'',
    ],
    [
      'mounts twice at one place',
      { volumes },
      {
        volumeMounts: [
          { name: 'v', mountPath: '/v' },
          { name: 'v', mountPath: '/v' },
        ],
      },
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/v": must be unique',
    ],
    [
      'uses a folder as a device',
      { volumes },
      { volumeDevices: [{ name: 'v', devicePath: '/d' }] },
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ],
    [
      'has a mode over 0777',
      { volumes: [{ name: 'p', secret: { secretName: 's', defaultMode: 1000 } }] },
      {},
      'spec.volumes[0].secret.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      'sleeps past its grace',
      {},
      { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
      'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
    ],
    [
      'sets a probe of readiness a grace',
      {},
      { readinessProbe: { exec: { command: ['x'] }, terminationGracePeriodSeconds: 5 } },
      'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes',
    ],
    [
      'asks for a nameless resource',
      {},
      { resources: { requests: { nope: '1' } } },
      'spec.containers[0].resources.requests[nope]: Invalid value: "nope": must be a standard resource type or fully qualified',
    ],
    [
      'asks for half a huge page',
      {},
      { resources: { requests: { cpu: '1' }, limits: { 'hugepages-2Mi': '3Mi' } } },
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ],
    [
      'asks for less than its containers',
      { resources: { requests: { cpu: '1' } } },
      { resources: { requests: { cpu: '2' } } },
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
    [
      'tolerates for a time without NoExecute',
      { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 1 }] },
      {},
      'spec.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
    [
      'spreads by a key that its selector has',
      {
        topologySpreadConstraints: [
          {
            ...spread,
            matchLabelKeys: ['x'],
            labelSelector: {
              matchExpressions: [
                { key: 'x', operator: 'Exists' },
                { key: 'x', operator: 'Exists' },
              ],
            },
          },
        ],
      },
      {},
      'spec.topologySpreadConstraints[0][0]: Invalid value: "x": exists in both matchLabelKeys and labelSelector',
    ],
    ['gates without a name', { schedulingGates: [{ name: 'a b' }] }, {}, 'spec.schedulingGates[0]: Invalid value: "a b": name part'],
    [
      'has too many name servers',
      { dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } },
      {},
      'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
    ],
    [
      'names no type of profile',
      {},
      { securityContext: { seccompProfile: {} } },
      'spec.containers[0].securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
    ],
    [
      'sets a sysctl of the host',
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.x', value: '1' }] } },
      {},
      'spec.securityContext.sysctls[0].name: Invalid value: "net.x": may not be specified when \'hostNetwork\' is true',
    ],
    [
      'has its own users and the host’s network',
      { hostUsers: false, hostNetwork: true },
      {},
      'spec.hostNetwork: Forbidden: when `pod.Spec.HostUsers` is false',
    ],
    ['is for no known system', { os: { name: 'plan9' } }, {}, 'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    [
      'waits for ever',
      { activeDeadlineSeconds: 0 },
      {},
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
  ];

  it.each(cases)('that %s is refused', (_, spec, container, expected) => {
    const [text = ''] = found(pod(spec, container));
    expect(text.slice(0, expected.length)).toBe(expected);
  });

  it('may name some resources for the whole pod and leave others to its containers', () => {
    const container = {
      resources: { requests: { cpu: '1', 'ephemeral-storage': '1Gi', 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
    };
    expect(found(pod({ resources: { requests: { cpu: '2' } } }, container))).toEqual([]);
  });

  it('may project from a source of a feature that is off, which is dropped', () => {
    const sources = [{ clusterTrustBundle: { name: 'b', path: 'p' } }, { secret: { name: 's' } }];
    const object = pod({ volumes: [{ name: 'v', projected: { sources } }] });
    expect(found(object)).toEqual([]);
    expect(object.spec?.volumes).toMatchObject([{ projected: { sources: [{}, { secret: { name: 's' } }] } }]);
  });

  it('loses its image volumes and their mounts, which are a feature that is off', () => {
    const mounts = {
      volumeMounts: [
        { name: 'oci', mountPath: '/i' },
        { name: 'v', mountPath: '/v' },
      ],
    };
    const object = pod(
      {
        volumes: [
          { name: 'oci', image: { reference: 'x' } },
          { name: 'v', emptyDir: {} },
        ],
      },
      mounts,
    );
    expect(found(object)).toEqual([]);
    expect(object.spec?.volumes).toMatchObject([{ name: 'v' }]);
    expect(object.spec?.containers[0].volumeMounts).toMatchObject([{ name: 'v' }]);
  });

  it('has no fewer huge pages than its containers', () => {
    const pages = (count: string) => ({
      resources: { requests: { cpu: '1', 'hugepages-2Mi': count }, limits: { 'hugepages-2Mi': count } },
    });
    const more = 'must be greater than or equal to aggregate container';
    expect(found(pod(pages('2Mi'), pages('4Mi')))).toEqual([
      `spec.resources.requests[hugepages-2Mi]: Invalid value: "2Mi": ${more} requests of 4Mi`,
      `spec.resources.limits[hugepages-2Mi]: Invalid value: "2Mi": ${more} limits of 4Mi`,
      'spec.resources.containers[0][hugepages-2Mi].limits: Invalid value: "4Mi": must be less than or equal to pod limits of 2Mi',
    ]);
    expect(found(pod(pages('4Mi'), pages('4Mi')))).toEqual([]);
  });

  it('runs the same text through many findings at once', () => {
    expect(found(pod({ restartPolicy: 'x', dnsPolicy: 'y' }, { name: '' }))).toEqual([
      'spec.containers[0].name: Required value',
      'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ]);
  });
});

it('gates of readiness have the names of label keys', () => {
  const gate = (conditionType: string) => pod({ readinessGates: [{ conditionType }] });
  expect(found(gate('www.example.com/feature-1'))).toEqual([]);
  expect(found(gate('no key'))[0]).toMatch(/^spec\.readinessGates\[0\]\.conditionType: Invalid value: "no key": name part must consist of/);
});

describe('a sidecar', () => {
  it('may have probes, an ordinary init container may not', () => {
    const init = (restartPolicy?: string) =>
      pod({ initContainers: [{ name: 'i', image: 'a', restartPolicy, livenessProbe: { exec: { command: ['x'] } } }] });
    expect(found(init('Always'))).toEqual([]);
    expect(found(init())).toEqual([
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ]);
    // Another policy than Always is let through, and makes no sidecar.
    expect(found(init('Never'))[0]).toBe(
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    );
  });
});

describe('an update of a pod', () => {
  const update = (change: (spec: Loose) => Loose, base: KubeObject = pod(), subresource?: 'resize' | 'status' | 'ephemeralcontainers') =>
    validateUpdate(kindOf('pods'), { ...base, spec: change(structuredClone(base.spec)) }, base, subresource).map(fieldErrorText);

  it('may change images, and may add tolerations', () => {
    const changed = (spec: Loose) => ({
      ...spec,
      containers: spec.containers.map((container: Loose) => ({ ...container, image: 'other:2' })),
      tolerations: [{ key: 'x', operator: 'Exists' }],
      activeDeadlineSeconds: 5,
    });
    expect(update(changed)).toEqual([]);
  });

  it('shows the difference that is refused', () => {
    const [text = ''] = update((spec) => ({ ...spec, schedulerName: 'other' }));
    expect(text).toMatch(/^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,/);
    expect(text).toContain('- "SchedulerName": "default-scheduler",\n+ "SchedulerName": "other",\n');
  });

  it('may narrow a gated pod', () => {
    const affinity = (...keys: string[]) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })) }],
        },
      },
    });
    const gated = pod({ schedulingGates: [{ name: 'a' }], affinity: affinity('x'), nodeSelector: { a: 'b' } });
    expect(update((spec) => ({ ...spec, affinity: affinity('x', 'y'), nodeSelector: { a: 'b', c: 'd' } }), gated)).toEqual([]);
    expect(update((spec) => ({ ...spec, affinity: affinity('y') }), gated)).toEqual([
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid value: {"MatchExpressions":[{"Key":"y","Operator":"Exists","Values":null}],"MatchFields":null}: only additions are allowed (no mutations or deletions)',
    ]);
    expect(update((spec) => ({ ...spec, schedulingGates: undefined }), gated)).toEqual([]);
  });

  it('through resize keeps the class of service and everything else', () => {
    const sized = pod({}, { resources: { requests: { cpu: '1' } } });
    const resize = (resources: Loose, more: Loose = {}) =>
      update(
        (spec) => ({ ...spec, containers: [{ ...spec.containers[0], ...more, resources }] }),
        { ...sized, status: { qosClass: 'Burstable' } },
        'resize',
      );
    expect(resize({ requests: { cpu: '2' } })).toEqual([]);
    expect(resize({ requests: { memory: '1Gi' } })).toContain(
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    );
    expect(resize({})[0]).toBe('spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing');
    expect(resize({ requests: { cpu: '2' } }, { image: 'other' })).toEqual(['spec: Forbidden: only cpu and memory resources are mutable']);
  });

  it('of status keeps ended containers ended', () => {
    const statuses = (state: object) => ({ containerStatuses: [{ name: 'c', state }] });
    const ended: KubeObject = { ...pod({ restartPolicy: 'Never' }), status: statuses({ terminated: { exitCode: 1 } }) };
    const running = { ...ended, status: statuses({ running: {} }) };
    const texts = validateUpdate(kindOf('pods'), running, ended, 'status').map(fieldErrorText);
    expect(texts).toEqual(['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state']);
    const restarting = { ...running, spec: { ...running.spec, restartPolicy: 'Always' } };
    expect(validateUpdate(kindOf('pods'), restarting, { ...ended, spec: restarting.spec }, 'status')).toEqual([]);
  });

  it('of status has at most one address of a family', () => {
    const base = pod();
    const status = { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }], hostIP: '2.2.2.2', hostIPs: [{ ip: '2.2.2.3' }] };
    expect(validateUpdate(kindOf('pods'), { ...base, status }, base, 'status').map(fieldErrorText)).toEqual([
      'status.podIPs: Invalid value: [{"IP":"1.1.1.1"},{"IP":"1.1.1.2"}]: may specify no more than one IP for each IP family',
      'status.hostIPs[0].ip: Invalid value: "2.2.2.3": must be equal to `hostIP`',
    ]);
  });
});

describe('hostile content', () => {
  it('is reported, not stumbled over', () => {
    const evil = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    expect(() => found(pod({ nodeSelector: evil }, { resources: { requests: evil } }, { labels: evil, annotations: evil }))).not.toThrow();
    expect(() => found({ metadata: { name: 'p', namespace: 'n', uid: 'u', creationTimestamp: '' } })).not.toThrow();
  });
});
