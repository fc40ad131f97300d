import type { Reconciler } from '#libs/control-loop';
import { jsonEqual } from '#libs/kernel';
import { namespaceObjectController } from './namespace-object';

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** ConfigMap `kube-root-ca.crt` in every active namespace (upstream root CA publisher). @param ca PEM */
export function rootCaPublisher(ca: string): Reconciler {
  const data = { 'ca.crt': ca };
  return namespaceObjectController({
    controller: 'root-ca-cert-publisher-controller',
    resource: 'configmaps',
    name: 'kube-root-ca.crt',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { annotations: { 'kubernetes.io/description': description } }, data },
    config: { ca },
    corrected: (present) => (jsonEqual(present.data, data) ? undefined : { ...present, data }),
  });
}
