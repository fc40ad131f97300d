import type { KubeObject } from '#libs/kernel';
import type { Container } from '../pod-lifecycle/pod-types';
import type { Surroundings } from './process';

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: { fieldRef?: { fieldPath?: string } };
}

/** What a program in this container sees: its name, its variables, the files that the kubelet makes. */
export function surroundingsOf(pod: KubeObject, container: Container & { env?: EnvVar[] }, isTerminal: boolean): Surroundings {
  const hostname = (pod.spec?.hostname as string | undefined) || pod.metadata.name;
  const env = new Map([
    ['PATH', path],
    ['HOSTNAME', hostname],
  ]);
  if (isTerminal) env.set('TERM', 'xterm');
  for (const variable of container.env ?? []) {
    const value = variable.value ?? fieldOf(pod, variable.valueFrom?.fieldRef?.fieldPath);
    if (value !== undefined) env.set(variable.name, withReferences(value, env));
  }
  env.set('HOME', '/root');
  const address = (pod.status?.podIP as string | undefined) ?? '127.0.0.1';
  const hosts = `# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n${address}\t${hostname}\n`;
  const token = '/var/run/secrets/kubernetes.io/serviceaccount';
  return {
    hostname,
    env,
    isTerminal,
    files: new Map([
      ['/etc/hostname', `${hostname}\n`],
      ['/etc/hosts', hosts],
      [`${token}/namespace`, pod.metadata.namespace ?? ''],
    ]),
  };
}

/** `$(NAME)` of a variable that was set before. */
function withReferences(text: string, env: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([\w.-]+)\)/g, (whole, name: string | undefined) => (name === undefined ? '$' : (env.get(name) ?? whole)));
}

/** Fields of a pod that a variable may show (the downward API). */
function fieldOf({ metadata, spec, status }: KubeObject, field: string | undefined): string | undefined {
  const known: Record<string, unknown> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
    'status.podIP': status?.podIP,
    'status.podIPs': status?.podIP,
    'status.hostIP': status?.hostIP,
    'status.hostIPs': status?.hostIP,
  };
  const value = field !== undefined && Object.hasOwn(known, field) ? known[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}
