import type { KubeObject } from '#libs/kernel';
import { tokenMountPath } from '../../../admission/service-account';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

const isToken = (name: unknown): boolean => typeof name === 'string' && /^kube-api-access-\w{5}$/.test(name);
const isAdded = ({ key, effect, tolerationSeconds }: Loose): boolean =>
  /^node\.kubernetes\.io\/(not-ready|unreachable)$/.test(key) && effect === 'NoExecute' && tolerationSeconds === 300;

/** A new pod without what admission gives to nearly every pod: default account, its token, two tolerations, a priority. */
export function podAsAsked(pod: KubeObject): KubeObject {
  const { priority: _priority, preemptionPolicy: _policy, ...spec } = pod.spec ?? {};
  if (spec.serviceAccountName === 'default' && spec.serviceAccount === 'default') {
    delete spec.serviceAccountName;
    delete spec.serviceAccount;
  }
  keep(spec, 'tolerations', (toleration) => !isAdded(toleration));
  keep(spec, 'volumes', ({ name, projected }) => !projected || !isToken(name));
  for (const list of ['initContainers', 'containers']) {
    if (!spec[list]) continue;
    spec[list] = spec[list].map((container: Loose) => {
      const copy = { ...container };
      keep(copy, 'volumeMounts', ({ name, mountPath }) => mountPath !== tokenMountPath || !isToken(name));
      return copy;
    });
  }
  return { ...pod, spec };
}

/** The items of a list that are to stay; without any the list goes. */
function keep(holder: Loose, list: string, stays: (item: Loose) => boolean): void {
  const items: Loose[] | undefined = holder[list];
  if (!items || items.every(stays)) return;
  const kept = items.filter(stays);
  if (kept.length > 0) holder[list] = kept;
  else delete holder[list];
}
