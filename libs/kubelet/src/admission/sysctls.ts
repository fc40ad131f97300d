import type { KubeObject } from '#libs/kernel';
import { specOf } from '../pod-lifecycle/pod-types';
import type { Rejection } from './rejection';

/** Namespaced, isolated and without effect on others: allowed without asking (v1.34). */
const safe = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

export function forbiddenSysctl(pod: KubeObject): Rejection | undefined {
  const forbidden = (text: string): Rejection => ({ reason: 'SysctlForbidden', message: `forbidden sysctl: ${text}` });
  for (const sysctl of specOf(pod).securityContext?.sysctls ?? []) {
    const name = sysctl.name.replaceAll('/', '.');
    if (!safe.has(name)) return forbidden(`"${name}" not allowlisted`);
    if (name.startsWith('net.') && pod.spec?.hostNetwork) return forbidden(`"${name}" not allowed with host net enabled`);
    if (name.startsWith('kernel.') && pod.spec?.hostIPC) return forbidden(`"${name}" not allowed with host ipc enabled`);
  }
  return undefined;
}
