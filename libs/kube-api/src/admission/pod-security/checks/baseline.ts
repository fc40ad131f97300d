import {
  containersOf,
  containersText,
  containersThat,
  plural,
  quoted,
  setters,
  sortedSet,
  type Check,
  type CheckPod,
  type Container,
  type SecurityContext,
} from './check';
import { goQuote } from '../../../status';
import { seccompProfileBaseline } from './seccomp';

const since = (version: number, check: CheckPod): Check['versions'] => [{ since: version, check }];

const appArmorTypes = ['RuntimeDefault', 'Localhost'];
const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

const appArmorProfile: CheckPod = (pod) => {
  const isBad = ({ appArmorProfile: profile }: SecurityContext): boolean =>
    Boolean(profile) && !appArmorTypes.includes(profile?.type ?? '');
  const contexts = [pod.spec.securityContext ?? {}, ...containersOf(pod).map(({ securityContext = {} }) => securityContext)];
  const types = sortedSet(contexts.filter(isBad).map(({ appArmorProfile: profile }) => profile?.type ?? ''));
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !isAllowedProfile(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  const values = [...types, ...annotations];
  const who = setters(isBad(pod.spec.securityContext ?? {}), containersThat(pod, isBad));
  if (annotations.length > 0) who.push(plural('annotation', 'annotations', annotations.length));
  if (who.length === 0) return undefined;
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

function isAllowedProfile(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

const defaultCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(' '),
);

const capabilities: CheckPod = (pod) => {
  const addedBy = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => !defaultCapabilities.has(capability));
  const bad = containersThat(pod, (_context, container) => addedBy(container).length > 0);
  if (bad.length === 0) return undefined;
  const added = quoted(sortedSet(containersOf(pod).flatMap(addedBy)));
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(bad)} must not include ${added} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: CheckPod = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => Boolean(hostPath)).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}` };
};

const hostPorts: CheckPod = (pod) => {
  const portsOf = ({ ports = [] }: Container): string[] => ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = containersThat(pod, (_context, container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sortedSet(containersOf(pod).flatMap(portsOf));
  const use = plural('uses', 'use', bad.length);
  return {
    reason: 'hostPort',
    detail: `${containersText(bad)} ${use} ${plural('hostPort', 'hostPorts', ports.length)} ${ports.join(', ')}`,
  };
};

const hostsOfHandlers: CheckPod = (pod) => {
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap((handler) =>
      [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host): host is string => Boolean(host)),
    );
  const bad = sortedSet(containersThat(pod, (_context, container) => hostsOf(container).length > 0));
  if (bad.length === 0) return undefined;
  const hosts = sortedSet(containersOf(pod).flatMap(hostsOf));
  const what = plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.length);
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(bad)} ${plural('uses', 'use', bad.length)} ${what} ${quoted(hosts)}`,
  };
};

const privileged: CheckPod = (pod) => {
  const bad = containersThat(pod, (context) => context.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
};

const procMount: CheckPod = (pod) => {
  const isBad = ({ procMount: mount }: SecurityContext): boolean => typeof mount === 'string' && mount !== 'Default';
  const bad = containersThat(pod, isBad);
  if (bad.length === 0) return undefined;
  const contexts = containersOf(pod).map(({ securityContext = {} }) => securityContext);
  const types = sortedSet(contexts.filter(isBad).map(({ procMount: mount }) => mount as string));
  return { reason: 'procMount', detail: `${containersText(bad)} must not set securityContext.procMount to ${quoted(types)}` };
};

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const seLinuxOptions =
  (allowed: readonly string[]): CheckPod =>
  (pod) => {
    const contexts = [pod.spec.securityContext ?? {}, ...containersOf(pod).map(({ securityContext = {} }) => securityContext)];
    const options = contexts.map(({ seLinuxOptions: given }) => given ?? {});
    const isBad = ({ seLinuxOptions: given }: SecurityContext): boolean =>
      given !== undefined && given !== null && (!allowed.includes(given.type ?? '') || Boolean(given.user) || Boolean(given.role));
    const who = setters(isBad(pod.spec.securityContext ?? {}), containersThat(pod, isBad));
    if (who.length === 0) return undefined;
    const types = sortedSet(options.map(({ type = '' }) => type).filter((type) => !allowed.includes(type)));
    const data = [
      ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
      ...(options.some(({ user }) => user) ? ['user may not be set'] : []),
      ...(options.some(({ role }) => role) ? ['role may not be set'] : []),
    ];
    return { reason: 'seLinuxOptions', detail: `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}` };
  };

const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const safeSince27 = [...safeSysctls, 'net.ipv4.ip_local_reserved_ports'];
const safeSince29 = [
  ...safeSince27,
  ...['tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl', 'tcp_keepalive_probes'].map((name) => `net.ipv4.${name}`),
];
const safeSince32 = [...safeSince29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const sysctls =
  (allowed: readonly string[]): CheckPod =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
    return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') };
  };

const windowsHostProcess: CheckPod = (pod) => {
  const isBad = ({ windowsOptions }: SecurityContext): boolean => windowsOptions?.hostProcess === true;
  const who = setters(isBad(pod.spec.securityContext ?? {}), containersThat(pod, isBad));
  if (who.length === 0) return undefined;
  return { reason: 'hostProcess', detail: `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true` };
};

const level = 'baseline';

/** In the order in which they are told. */
export const baselineChecks: readonly Check[] = [
  { id: 'appArmorProfile', level, versions: since(0, appArmorProfile) },
  { id: 'capabilities_baseline', level, versions: since(0, capabilities) },
  { id: 'hostNamespaces', level, versions: since(0, hostNamespaces) },
  { id: 'hostPathVolumes', level, versions: since(0, hostPathVolumes) },
  { id: 'hostPorts', level, versions: since(0, hostPorts) },
  { id: 'hostProbesAndHostLifecycle', level, versions: since(34, hostsOfHandlers) },
  { id: 'privileged', level, versions: since(0, privileged) },
  { id: 'procMount', level, versions: since(0, procMount) },
  {
    id: 'seLinuxOptions',
    level,
    versions: [...since(0, seLinuxOptions(seLinuxTypes)), ...since(31, seLinuxOptions([...seLinuxTypes, 'container_engine_t']))],
  },
  seccompProfileBaseline,
  {
    id: 'sysctls',
    level,
    versions: [
      ...since(0, sysctls(safeSysctls)),
      ...since(27, sysctls(safeSince27)),
      ...since(29, sysctls(safeSince29)),
      ...since(32, sysctls(safeSince32)),
    ],
  },
  { id: 'windowsHostProcess', level, versions: since(0, windowsHostProcess) },
];
