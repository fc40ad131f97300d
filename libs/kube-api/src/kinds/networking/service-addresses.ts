import type { KubeObject, ObjectMeta } from '#libs/kernel';

/** Cluster IPs that a Service holds; none where it is headless, or only another name. */
export function clusterAddressesOf({ spec }: KubeObject): string[] {
  const addresses = (spec?.clusterIPs as string[] | null | undefined) ?? [];
  return addresses.filter((address) => address !== '' && address !== 'None');
}

/** The IPAddress by which a Service holds a cluster IP, as it is sent to be created. */
export function ipAddressFor(address: string, { namespace, name }: Pick<ObjectMeta, 'namespace' | 'name'>): KubeObject {
  const labels = {
    'ipaddress.kubernetes.io/ip-family': address.includes(':') ? 'IPv6' : 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  };
  return { metadata: { name: address, labels }, spec: { parentRef: { resource: 'services', namespace, name } } } as unknown as KubeObject;
}
