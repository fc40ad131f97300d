import type { JsonObject, KubeObject } from '#libs/kernel';
import { listIn, objectIn, setEmpty } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { invalidValue, required, unsupported } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain, isPathSegmentName } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { listOf, validateSupported, validateTexts, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';

const rbac = 'rbac.authorization.k8s.io';

function setBindingDefaults(binding: JsonObject): void {
  const role = objectIn(binding, 'roleRef') ?? {};
  binding['roleRef'] = role;
  setEmpty(role, 'apiGroup', rbac);
  for (const subject of listIn(binding, 'subjects')) {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') setEmpty(subject, 'apiGroup', rbac);
  }
}

function validateBinding(binding: KubeObject, namespaced: boolean, errors: Errors): void {
  validateMetadata(binding.metadata, { namespaced, name: isPathSegmentName }, errors);
  const { apiGroup = '', kind = '', name = '' } = (binding.roleRef ?? {}) as Loose;
  validateSupported(apiGroup, [rbac], 'roleRef.apiGroup', errors);
  validateSupported(kind, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'], 'roleRef.kind', errors);
  if (name === '') errors.push(required('roleRef.name'));
  else validateTexts(isPathSegmentName(name), name, 'roleRef.name', errors);
  for (const [index, subject] of listOf(binding.subjects).entries()) {
    validateSubject(subject ?? {}, namespaced, `subjects[${index}]`, errors);
  }
}

function validateSubject(
  { kind = '', apiGroup = '', name = '', namespace = '' }: Loose,
  namespaced: boolean,
  field: string,
  errors: Errors,
): void {
  if (name === '') errors.push(required(`${field}.name`));
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') validateTexts(isDnsSubdomain(name), name, `${field}.name`, errors);
      if (apiGroup !== '') errors.push(unsupported(`${field}.apiGroup`, apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(required(`${field}.namespace`));
      break;
    case 'User':
    case 'Group':
      validateSupported(apiGroup, [rbac], `${field}.apiGroup`, errors);
      break;
    default:
      errors.push(unsupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
}

/** Which role a binding gives is for life: whoever may change a binding might otherwise give what he may not. */
function validateBindingUpdate(updated: KubeObject, old: KubeObject, namespaced: boolean, errors: Errors): void {
  // Twice, as upstream does.
  for (let time = 0; time < 2; time++) validateBinding(updated, namespaced, errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (semanticEqual(updated.roleRef, old.roleRef)) return;
  const { apiGroup: APIGroup = '', kind: Kind = '', name: Name = '' } = (updated.roleRef ?? {}) as Loose;
  errors.push(invalidValue('roleRef', { APIGroup, Kind, Name }, 'cannot change roleRef'));
}

const row = rowOf((binding, now) => {
  const { kind = '', name = '' } = (binding.roleRef ?? {}) as Loose;
  const named = (wanted: string, show: (subject: Loose) => string): string =>
    listOf(binding.subjects)
      .filter((subject) => subject.kind === wanted)
      .map(show)
      .join(', ');
  const nameOnly = (subject: Loose): string => subject.name ?? '';
  return [
    nameOf(binding),
    `${kind}/${name}`,
    age(binding, now),
    named('User', nameOnly),
    named('Group', nameOnly),
    named('ServiceAccount', (subject) => `${subject.namespace ?? ''}/${subject.name ?? ''}`),
  ];
});

const bindingOf = (resource: string, namespaced: boolean): KindDescription => ({
  name: `${resource}.${rbac}`,
  served: true,
  createOnUpdate: true,
  formerVersions: [`${rbac}/v1alpha1`, `${rbac}/v1beta1`],
  setDefaults: setBindingDefaults,
  validation: {
    create: (binding, errors) => validateBinding(binding, namespaced, errors),
    update: (updated, old, errors) => validateBindingUpdate(updated, old, namespaced, errors),
  },
  row,
});

export const rolebindings = bindingOf('rolebindings', true);
export const clusterrolebindings = bindingOf('clusterrolebindings', false);
