import { ipAddressFor } from '#libs/kube-api';
import { draft, type BootstrapOptions, type DefaultObject } from './default-object';

/** First address of the Service range, and upstream's usual port. */
const apiServiceAddress = '10.0.0.1';
const securePort = 6443;
const place = { name: 'kubernetes', namespace: 'default' };

/** Service `kubernetes` with what belongs to it: its address, and where the server listens, if others can reach that. */
export function serviceNetwork({ port = 0, address }: BootstrapOptions): DefaultObject[] {
  const listening = port || securePort;
  return [
    { resource: 'ipaddresses.networking.k8s.io', object: ipAddressFor(apiServiceAddress, place) },
    { resource: 'services', object: apiService(listening) },
    ...(address === undefined ? [] : endpoints(address, listening)),
  ];
}

function apiService(port: number): DefaultObject['object'] {
  return {
    ...draft({ ...place, labels: { component: 'apiserver', provider: 'kubernetes' } }),
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
      clusterIP: apiServiceAddress,
      clusterIPs: [apiServiceAddress],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
  };
}

/** The slice is made beside the Endpoints, so nobody has to mirror them. */
function endpoints(address: string, port: number): DefaultObject[] {
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  return [
    { resource: 'endpoints', object: { ...draft({ ...place, labels }), subsets: [{ addresses: [{ ip: address }], ports }] } },
    {
      resource: 'endpointslices.discovery.k8s.io',
      object: {
        ...draft({ ...place, labels: { 'kubernetes.io/service-name': place.name } }),
        addressType: 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports,
      },
    },
  ];
}
