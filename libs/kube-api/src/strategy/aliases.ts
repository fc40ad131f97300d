import type { GroupResource, KubeObject } from '#libs/kernel';

/**
 * Fields that say the same thing twice, brought into line as upstream's conversions between versions do. Running it again
 * changes nothing.
 */
export function reconcileAliases(resource: GroupResource, object: KubeObject): KubeObject {
  switch (resource) {
    case 'pods':
      return podAddresses(withPodSpec(object, podSpecAliases(object.spec)));
    case 'nodes':
      return nodeRanges(object);
    case 'secrets':
      return secretTexts(object);
    default:
      return templateAliases(object);
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Spec = any;

function withPodSpec(pod: KubeObject, spec: Spec): KubeObject {
  return spec === pod.spec ? pod : { ...pod, spec };
}

/** `serviceAccount` is the old name of `serviceAccountName`; the new one wins and both are written. */
export function podSpecAliases(spec: Spec): Spec {
  if (!spec) return spec;
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name || (spec.serviceAccountName === name && spec.serviceAccount === name)) return spec;
  return { ...spec, serviceAccountName: name, serviceAccount: name };
}

function templateAliases(object: KubeObject): KubeObject {
  const template = object.spec?.template;
  if (!template?.spec) return object;
  const spec = podSpecAliases(template.spec);
  return spec === template.spec ? object : { ...object, spec: { ...object.spec, template: { ...template, spec } } };
}

/** One address is also the first of the list; where they differ, the single one (which older kubelets write) wins. */
function podAddresses(pod: KubeObject): KubeObject {
  const { podIP, podIPs } = pod.status ?? {};
  const first = podIPs?.[0]?.ip;
  if (podIP === first || (!podIP && !first)) return pod;
  const addresses = podIP ? [{ ip: podIP }] : podIPs;
  return { ...pod, status: { ...pod.status, podIP: addresses[0].ip, podIPs: addresses } };
}

function nodeRanges(node: KubeObject): KubeObject {
  const { podCIDR, podCIDRs } = node.spec ?? {};
  const first = podCIDRs?.[0];
  if (podCIDR === first || (!podCIDR && !first)) return node;
  const ranges = podCIDR ? [podCIDR] : podCIDRs;
  return { ...node, spec: { ...node.spec, podCIDR: ranges[0], podCIDRs: ranges } };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** `stringData` is for writing only: its values replace those of `data`. */
function secretTexts(secret: KubeObject): KubeObject {
  if (!Object.hasOwn(secret, 'stringData')) return secret;
  const { stringData, ...rest } = secret;
  const entries = Object.entries((stringData ?? {}) as Record<string, string>);
  if (entries.length === 0) return rest as KubeObject;
  const data = Object.assign(Object.create(null) as Record<string, string>, rest.data);
  for (const [key, value] of entries) data[key] = base64(value);
  return { ...rest, data } as KubeObject;
}
