import type { KubeObject } from '#libs/kernel';
import { fieldOf, resourceFieldOf } from './downward';
import { configMapData, hostnameOf, secretData } from './environment';
import { Files } from './files';
import type { World } from './world';

interface Item {
  key: string;
  path: string;
}

interface DownwardItem {
  path: string;
  fieldRef?: { fieldPath?: string };
  resourceFieldRef?: { containerName?: string; resource?: string; divisor?: string };
}

interface Source {
  configMap?: { name?: string; items?: Item[] };
  secret?: { name?: string; secretName?: string; items?: Item[] };
  downwardAPI?: { items?: DownwardItem[] };
  serviceAccountToken?: { path: string };
}

type Volume = Source & { name: string; projected?: { sources?: Source[] } };

export interface Mounted {
  terminationMessagePath?: string;
  volumeMounts?: { name: string; mountPath: string; subPath?: string }[];
}

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The files of a container when it starts: those that the kubelet makes, and its volumes. Volumes that are no objects are empty. */
export function filesOf(pod: KubeObject, container: Mounted, world: World): Files {
  const hostname = hostnameOf(pod);
  const address = (pod.status?.podIP as string | undefined) ?? '127.0.0.1';
  const files = new Files([
    ['/etc/hostname', `${hostname}\n`],
    ['/etc/hosts', `# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n${address}\t${hostname}\n`],
    [
      '/etc/resolv.conf',
      `search ${pod.metadata.namespace}.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n`,
    ],
    [container.terminationMessagePath ?? '/dev/termination-log', ''],
  ]);
  if (pod.spec?.automountServiceAccountToken !== false)
    files.mount(accountFolder, () => new Map([['namespace', pod.metadata.namespace ?? '']]));
  const volumes = (pod.spec?.volumes ?? []) as Volume[];
  for (const { name, mountPath, subPath } of container.volumeMounts ?? []) {
    const volume = volumes.find((each) => each.name === name);
    files.mount(mountPath.replace(/(.)\/+$/, '$1'), () => below(volume ? contentOf(pod, volume, world) : new Map(), subPath));
  }
  return files;
}

/** Only what is at a path of the volume; a file by itself has no name. */
function below(content: Map<string, string>, subPath: string | undefined): Map<string, string> {
  if (subPath === undefined || subPath === '') return content;
  const found = new Map<string, string>();
  for (const [name, text] of content) {
    if (name === subPath) found.set('', text);
    else if (name.startsWith(`${subPath}/`)) found.set(name.slice(subPath.length + 1), text);
  }
  return found;
}

function contentOf(pod: KubeObject, volume: Volume, world: World): Map<string, string> {
  const content = new Map<string, string>();
  for (const source of volume.projected?.sources ?? [volume]) {
    const { configMap, secret, downwardAPI, serviceAccountToken } = source;
    if (configMap) put(content, configMapData(world, configMap.name ?? ''), configMap.items);
    if (secret) put(content, secretData(world, secret.secretName ?? secret.name ?? ''), secret.items);
    for (const { path, fieldRef, resourceFieldRef } of downwardAPI?.items ?? [])
      content.set(
        path,
        (fieldRef ? fieldOf(pod, fieldRef.fieldPath ?? '') : resourceFieldOf(pod, resourceFieldRef ?? {}, () => world.allocatable())) ?? '',
      );
    if (serviceAccountToken) content.set(serviceAccountToken.path, '');
  }
  return content;
}

function put(content: Map<string, string>, data: Map<string, string> | undefined, items: Item[] | undefined): void {
  if (!items) for (const [key, value] of data ?? []) content.set(key, value);
  for (const { key, path } of items ?? []) {
    const value = data?.get(key);
    if (value !== undefined) content.set(path, value);
  }
}
