import {
  containersOf,
  containersText,
  containersThat,
  plural,
  quoted,
  setters,
  sortedSet,
  unlessWindows,
  type Check,
  type CheckPod,
  type Container,
  type SecurityContext,
} from './check';
import { seccompProfileRestricted } from './seccomp';

const allowPrivilegeEscalation: CheckPod = (pod) => {
  const bad = containersThat(pod, (context) => context.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: CheckPod = (pod) => {
  const addedBy = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => capability !== 'NET_BIND_SERVICE');
  const keeping = containersThat(pod, (context) => !context.capabilities?.drop?.includes('ALL'));
  const adding = containersThat(pod, (_context, container) => addedBy(container).length > 0);
  const added = quoted(sortedSet(containersOf(pod).flatMap(addedBy)));
  const details = [
    ...(keeping.length > 0 ? [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0 ? [`${containersText(adding)} must not include ${added} in securityContext.capabilities.add`] : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

const restrictedVolumes: CheckPod = ({ spec }) => {
  const sourcesOf = ({ name: _name, ...sources }: { name: string } & Record<string, unknown>): string[] =>
    Object.keys(sources).filter((source) => Boolean(sources[source]));
  const bad = (spec.volumes ?? []).filter((volume) => !sourcesOf(volume).some((source) => allowedVolumes.includes(source)));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map((volume) => sourcesOf(volume)[0] ?? 'unknown'));
  const names = bad.map(({ name }) => name);
  const what = plural('restricted volume type', 'restricted volume types', types.length);
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)} ${plural('uses', 'use', names.length)} ${what} ${quoted(types)}`,
  };
};

const runAsNonRoot: CheckPod = (pod) => {
  const reason = 'runAsNonRoot != true';
  const isRefused = ({ runAsNonRoot: wanted }: SecurityContext): boolean => wanted === false;
  const whole = pod.spec.securityContext ?? {};
  const who = setters(isRefused(whole), containersThat(pod, isRefused));
  if (who.length > 0) return { reason, detail: `${who.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  if (whole.runAsNonRoot === true) return undefined;
  const silent = containersThat(pod, ({ runAsNonRoot: wanted }) => wanted === undefined || wanted === null);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: CheckPod = (pod) => {
  const isRoot = ({ runAsUser: user }: SecurityContext): boolean => user === 0;
  const who = setters(isRoot(pod.spec.securityContext ?? {}), containersThat(pod, isRoot));
  return who.length === 0 ? undefined : { reason: 'runAsUser=0', detail: `${who.join(' and ')} must not set runAsUser=0` };
};

const level = 'restricted';

/** In the order in which they are told. */
export const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level,
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: unlessWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level,
    versions: [
      { since: 22, check: capabilities },
      { since: 25, check: unlessWindows(capabilities) },
    ],
    overrides: 'capabilities_baseline',
  },
  { id: 'restrictedVolumes', level, versions: [{ since: 0, check: restrictedVolumes }], overrides: 'hostPathVolumes' },
  { id: 'runAsNonRoot', level, versions: [{ since: 0, check: runAsNonRoot }] },
  { id: 'runAsUser', level, versions: [{ since: 23, check: runAsUser }] },
  seccompProfileRestricted,
];
