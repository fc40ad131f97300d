import { isObject, type KubeObject } from '#libs/kernel';
import { parseJson } from '../../decode/go-json';
import { kindOfJson } from '../../decode/json-kind';
import { forbidden, invalidValue, required, tooLong } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { byteLength, isConfigMapKey, isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import type { Errors, Loose } from '../../validation/values';
import { entriesOf, validateImmutable, validateTexts } from '../../validation/values';

/** Data of a ConfigMap or Secret together: 1 MiB. */
const dataBytesMax = 1048576;
const rules = { namespaced: true, name: isDnsSubdomain };

/** Bytes behind base64 text. */
function decodedLength(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding);
}

export function validateConfigMap(object: KubeObject, errors: Errors): void {
  validateMetadata(object.metadata, rules, errors);
  const binary: Loose = object.binaryData ?? {};
  let bytes = 0;
  for (const [key, value] of entriesOf(object.data)) {
    validateTexts(isConfigMapKey(key), key, `data[${key}]`, errors);
    if (Object.hasOwn(binary, key)) errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    bytes += byteLength(value);
  }
  for (const [key, value] of entriesOf(binary)) {
    validateTexts(isConfigMapKey(key), key, `binaryData[${key}]`, errors);
    bytes += decodedLength(value);
  }
  if (bytes > dataBytesMax) errors.push(tooLong('[]', dataBytesMax));
}

const frozen = 'field is immutable when `immutable` is set';

function validateFrozen(updated: KubeObject, old: KubeObject, fields: readonly string[], errors: Errors): void {
  if (old.immutable !== true) return;
  if (updated.immutable !== true) errors.push(forbidden('immutable', frozen));
  for (const field of fields) if (!semanticEqual(updated[field], old[field], 'data')) errors.push(forbidden(field, frozen));
}

export function validateConfigMapUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateFrozen(updated, old, ['data', 'binaryData'], errors);
  validateConfigMap(updated, errors);
}

export function validateSecret(object: KubeObject, errors: Errors): void {
  validateMetadata(object.metadata, rules, errors);
  let bytes = 0;
  for (const [key, value] of entriesOf(object.data)) {
    validateTexts(isConfigMapKey(key), key, `data[${key}]`, errors);
    bytes += decodedLength(value);
  }
  if (bytes > dataBytesMax) errors.push(tooLong('data', dataBytesMax));
  validateSecretType(object, errors);
}

/** Keys that a type of secret must have. */
function validateSecretType(object: KubeObject, errors: Errors): void {
  const data: Record<string, string> = object.data ?? {};
  const has = (key: string) => Object.hasOwn(data, key);
  const need = (key: string) => {
    if (!has(key)) errors.push(required(`data[${key}]`));
  };
  switch (object.type) {
    case 'kubernetes.io/service-account-token': {
      const annotation = 'kubernetes.io/service-account.name';
      if (!object.metadata.annotations?.[annotation]) errors.push(required(`metadata.annotations[${annotation}]`));
      break;
    }
    case 'kubernetes.io/dockercfg':
      validateJsonData(data, '.dockercfg', errors);
      break;
    case 'kubernetes.io/dockerconfigjson':
      validateJsonData(data, '.dockerconfigjson', errors);
      break;
    case 'kubernetes.io/basic-auth':
      if (!has('username') && !has('password')) {
        need('username');
        need('password');
      }
      break;
    case 'kubernetes.io/ssh-auth':
      if (!data['ssh-privatekey']) errors.push(required('data[ssh-privatekey]'));
      break;
    case 'kubernetes.io/tls':
      need('tls.crt');
      need('tls.key');
      break;
    default:
  }
}

function validateJsonData(data: Record<string, string>, key: string, errors: Errors): void {
  if (!Object.hasOwn(data, key)) {
    errors.push(required(`data[${key}]`));
    return;
  }
  const parsed = parseJson(Buffer.from(data[key] ?? '', 'base64').toString('utf8'));
  const why =
    parsed.error ??
    (isObject(parsed.value)
      ? undefined
      : `json: cannot unmarshal ${kindOfJson(parsed.value)} into Go value of type map[string]interface {}`);
  if (why !== undefined && parsed.value !== null) errors.push(invalidValue(`data[${key}]`, '<secret contents redacted>', why));
}

export function validateSecretUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateImmutable(updated.type, old.type, 'type', errors);
  validateFrozen(updated, old, ['data'], errors);
  validateSecret(updated, errors);
}
