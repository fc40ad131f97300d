import { isObject, type KubeObject } from '#libs/kernel';
import { age, nameOf, none, rowOf } from '../../printing/cell';
import { columnsAround } from '../../printing/columns';
import { required } from '../../status/field-error';
import { isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, validateImmutable, validateNonNegative, type Errors } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { parseApiVersion } from '../names';

function validateRevision(revision: KubeObject, errors: Errors): void {
  validateMetadata(revision.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateNonNegative(revision.revision, 'revision', errors);
}

function validateRevisionCreate(revision: KubeObject, errors: Errors): void {
  validateRevision(revision, errors);
  if (!isSet(revision.data)) errors.push(required('data', 'data is mandatory'));
  else if (!isObject(revision.data)) errors.push(required('data', 'data must be a valid JSON object'));
}

/** What a revision remembers is for life; its number is not. */
function validateRevisionUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateRevision(updated, errors);
  validateImmutable(updated.data, old.data, 'data', errors);
}

/** `statefulset.apps/web` */
function controllerOf({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return none;
  const group = parseApiVersion(owner.apiVersion)?.group ?? '';
  const kind = owner.kind.toLowerCase();
  return `${group === '' ? kind : `${kind}.${group}`}/${owner.name}`;
}

export const controllerrevisions: KindDescription = {
  name: 'controllerrevisions.apps',
  served: true,
  formerVersions: ['apps/v1beta1', 'apps/v1beta2'],
  validation: { create: validateRevisionCreate, update: validateRevisionUpdate },
  get columns() {
    return columnsAround(
      ['Controller', 'string', 'Controller of the object'],
      ['Revision', 'string', 'revision indicates the revision of the state represented by Data.'],
    );
  },
  row: rowOf((revision, now) => [nameOf(revision), controllerOf(revision), revision.revision ?? 0, age(revision, now)]),
};
