import type { JsonObject } from '#libs/kernel';
import { setOwn } from '../../decode/json-reader';
import { objectIn, setEmpty } from '../../defaults/draft';
import { age, countOf, nameOf, rowOf } from '../../printing/cell';
import { fieldsOf, nameField, namespaceField, simpleField } from '../../selectors/kind-fields';
import type { KindDescription } from '../behaviour';
import { warnAboutSecret } from './secret-warnings';
import { validateSecret, validateSecretUpdate } from './configuration-validation';

/** `stringData` is a way to write `data` and is never read back. */
function mergeStringData(secret: JsonObject): void {
  const texts = objectIn(secret, 'stringData');
  if (!texts) return;
  const data = objectIn(secret, 'data') ?? {};
  for (const key of Object.keys(texts)) setOwn(data, key, Buffer.from(String(texts[key]), 'utf8').toString('base64'));
  secret['data'] = data;
  delete secret['stringData'];
}

export const secrets: KindDescription = {
  name: 'secrets',
  served: true,
  fields: fieldsOf(nameField, namespaceField, simpleField('type')),
  setDefaults: (secret) => {
    mergeStringData(secret);
    setEmpty(secret, 'type', 'Opaque');
  },
  strategy: { update: (updated, old) => (updated.type || !old.type ? updated : { ...updated, type: old.type }) },
  validation: { create: validateSecret, update: validateSecretUpdate },
  warn: (secret, _old, warnings) => warnAboutSecret(secret, warnings),
  row: rowOf((object, now) => [nameOf(object), object.type ?? '', countOf(object.data), age(object, now)]),
};
