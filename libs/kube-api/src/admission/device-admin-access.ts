import type { KubeObject } from '#libs/kernel';
import { forbidden, type FieldError } from '../status/field-error';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

const label = 'resource.kubernetes.io/admin-access';
const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;

/**
 * Access to devices that others use is for namespaces that say so. Upstream looks at it in the strategy of the kinds, so the answer is that
 * of an invalid object. `old` absent: at creation; what has once been granted is not asked about again.
 */
export function adminAccessErrors(object: KubeObject, old: KubeObject | undefined, namespace: KubeObject | undefined): FieldError[] {
  if (namespace?.metadata.labels?.[label] === 'true') return [];
  if (!old) {
    const requests: Loose[] = object.spec?.devices?.requests ?? object.spec?.spec?.devices?.requests ?? [];
    return refused(
      'spec.devices.requests',
      requests.map(({ exactly }) => exactly),
    );
  }
  const results = (claim: KubeObject): Loose[] => claim.status?.allocation?.devices?.results ?? [];
  return results(old).some(isAdmin) ? [] : refused('status.allocation.devices.results', results(object));
}

const isAdmin = (item: Loose): boolean => item?.adminAccess === true;

function refused(list: string, items: readonly Loose[]): FieldError[] {
  const index = items.findIndex(isAdmin);
  return index < 0 ? [] : [forbidden(`${list}[${index}].adminAccess`, text)];
}
