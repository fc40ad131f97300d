import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn, setAbsent } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { validateMetadataUpdate, validateNamed } from '../../validation/metadata';
import type { KindDescription } from '../behaviour';

/** References to secrets keep their name only. */
function withSecretNames(account: KubeObject): KubeObject {
  const secrets: { name?: string }[] | undefined = account.secrets;
  if (!secrets?.some((reference) => Object.keys(reference).some((key) => key !== 'name'))) return account;
  return { ...account, secrets: secrets.map(({ name }) => (name === undefined ? {} : { name })) };
}

function setTokenRequestDefaults(request: JsonObject): void {
  const spec = objectIn(request, 'spec');
  if (spec) setAbsent(spec, 'expirationSeconds', 3600);
}

const validateName = validateNamed(true);

const mountableOnly = 'kubernetes.io/enforce-mountable-secrets';

export const serviceaccounts: KindDescription = {
  name: 'serviceaccounts',
  served: true,
  deletionReturnsObject: true,
  subresourceDefaults: { token: setTokenRequestDefaults },
  strategy: { create: withSecretNames, update: withSecretNames },
  validation: {
    create: validateName,
    update: (updated, old, errors) => {
      validateMetadataUpdate(updated.metadata, old.metadata, errors);
      validateName(updated, errors);
    },
  },
  warn: (account, old, warnings) => {
    const isMarked = ({ metadata }: KubeObject) => Object.hasOwn(metadata.annotations ?? {}, mountableOnly);
    if (!isMarked(account) || (old && isMarked(old))) return;
    const text = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    warnings.push(`metadata.annotations[${mountableOnly}]: ${text}`);
  },
  row: rowOf((object, now) => [nameOf(object), object.secrets?.length ?? 0, age(object, now)]),
};
