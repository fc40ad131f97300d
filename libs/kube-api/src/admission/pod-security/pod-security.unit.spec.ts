import { describe, expect, it } from 'vitest';
import type { PodSpec } from './checks/check';
import { detailsText, violationsOf } from './evaluate';
import { existingPodsWarnings } from './existing-pods';
import { policyOf, podSecurityErrors, privilegedPolicy, type LevelVersion } from './policy';
import type { KubeObject } from '#libs/kernel';

const latest = (level: 'baseline' | 'restricted', version: LevelVersion['version'] = 'latest'): LevelVersion => ({ level, version });
const told = (spec: PodSpec, level: LevelVersion, annotations: Record<string, string> = {}): string =>
  detailsText(violationsOf({ annotations, spec }, level));

const safe = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

describe('the restricted level', () => {
  it('wants a plain container to give up what it does not need, in upstream’s words', () => {
    expect(told({ containers: [{ name: 'c' }] }, latest('restricted'))).toBe(
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
  });

  it('lets a container go that does, and any of Windows that need not', () => {
    expect(told({ containers: [{ name: 'c', securityContext: safe }] }, latest('restricted'))).toBe('');
    const windows = { os: { name: 'windows' }, securityContext: { runAsNonRoot: true }, containers: [{ name: 'c' }] };
    expect(told(windows, latest('restricted'))).toBe('');
    expect(told(windows, latest('restricted', 24))).toContain('allowPrivilegeEscalation');
  });

  it('puts a stricter rule in the place of the baseline’s', () => {
    const spec = { containers: [{ name: 'c', securityContext: { ...safe, capabilities: { add: ['SYS_ADMIN'], drop: ['ALL'] } } }] };
    expect(told(spec, latest('restricted'))).toBe(
      'unrestricted capabilities (container "c" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    );
    expect(told(spec, latest('restricted', 21))).toContain('non-default capabilities');
    expect(
      told(
        {
          ...spec,
          volumes: [
            { name: 'v', hostPath: {} },
            { name: 'w', nfs: {} },
          ],
        },
        latest('restricted', 21),
      ),
    ).toContain('restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")');
  });
});

describe('the baseline', () => {
  it('names what breaks it, pod and containers together', () => {
    const spec: PodSpec = {
      hostNetwork: true,
      hostPID: true,
      securityContext: { seLinuxOptions: { type: 'x', user: 'u' }, sysctls: [{ name: 'net.ipv4.tcp_rmem' }, { name: 'kernel.msgmax' }] },
      initContainers: [{ name: 'i', securityContext: { privileged: true, procMount: 'Unmasked' } }],
      containers: [
        {
          name: 'c',
          ports: [{ hostPort: 80 }, { hostPort: 8080 }],
          securityContext: { privileged: true, capabilities: { add: ['NET_RAW'] } },
        },
        { name: 'd', livenessProbe: { httpGet: { host: '10.0.0.9' } }, securityContext: { seccompProfile: { type: 'Unconfined' } } },
      ],
      volumes: [{ name: 'v', hostPath: { path: '/' } }],
    };
    expect(told(spec, latest('baseline')).split('), ')).toEqual([
      'non-default capabilities (container "c" must not include "NET_RAW" in securityContext.capabilities.add',
      'host namespaces (hostNetwork=true, hostPID=true',
      'hostPath volumes (volume "v"',
      'hostPort (container "c" uses hostPorts 80, 8080',
      'probe or lifecycle host (container "d" uses probe or lifecycle host "10.0.0.9"',
      'privileged (containers "i", "c" must not set securityContext.privileged=true',
      'procMount (container "i" must not set securityContext.procMount to "Unmasked"',
      'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x"; user may not be set',
      'seccompProfile (container "d" must not set securityContext.seccompProfile.type to "Unconfined"',
      'forbidden sysctls (kernel.msgmax)',
    ]);
    expect(told(spec, latest('baseline', 31))).toContain('forbidden sysctls (net.ipv4.tcp_rmem, kernel.msgmax)');
    expect(told(spec, latest('baseline', 31))).not.toContain('probe or lifecycle host');
  });

  it('looks at annotations where profiles were annotations', () => {
    const annotations = {
      'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
    };
    const spec = { containers: [{ name: 'c' }] };
    expect(told(spec, latest('baseline', 18), annotations)).toBe(
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined""), ' +
        'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    expect(told(spec, latest('baseline'), annotations)).not.toContain('seccompProfile');
  });
});

describe('labels', () => {
  const label = (name: string): string => `pod-security.kubernetes.io/${name}`;

  it('that enforce a level warn of it too, unless they say otherwise', () => {
    const policy = policyOf({ [label('enforce')]: 'baseline', [label('enforce-version')]: 'v1.30' }, privilegedPolicy);
    expect(policy).toEqual({
      enforce: latest('baseline', 30),
      audit: { level: 'privileged', version: 'latest' },
      warn: latest('baseline', 30),
    });
    expect(policyOf({ [label('enforce')]: 'baseline', [label('warn')]: 'privileged' }, privilegedPolicy).warn.level).toBe('privileged');
  });

  it('that say nothing sensible enforce the strictest, and are told of', () => {
    const labels = { [label('enforce')]: 'strict', [label('warn')]: 'x', [label('audit-version')]: '1.2' };
    expect(policyOf(labels, privilegedPolicy)).toMatchObject({ enforce: { level: 'restricted' }, warn: { level: 'privileged' } });
    expect(podSecurityErrors(labels).map(({ field }) => field)).toEqual([
      `metadata.labels[${label('enforce')}]`,
      `metadata.labels[${label('audit-version')}]`,
      `metadata.labels[${label('warn')}]`,
    ]);
  });
});

it('pods that are there are told of together where they break the same rules', () => {
  const pod = (name: string, spec: object): KubeObject =>
    ({ metadata: { name }, spec: { containers: [{ name: 'c' }], ...spec } }) as unknown as KubeObject;
  const pods = [
    pod('b', { hostPID: true }),
    pod('a', { hostPID: true }),
    pod('z', { hostIPC: true, volumes: [{ name: 'v', hostPath: {} }] }),
    pod('ok', {}),
  ];
  expect(existingPodsWarnings('n', pods, latest('baseline'))).toEqual([
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 1 other pod): host namespaces',
    'z: host namespaces, hostPath volumes',
  ]);
});
