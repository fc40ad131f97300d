import { forbidden, invalidValue, required } from '../../../../status/field-error';
import { isDnsSubdomain } from '../../../../validation/formats';
import { quantityOf } from '../../../../validation/resources';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateSupported, validateTexts } from '../../../../validation/values';
import {
  azureDisk,
  disk,
  fibreChannel,
  flexVolume,
  flocker,
  hostPath,
  inTurn,
  iscsi,
  needs,
  nfs,
  quobyte,
  secretReference,
  storageOS,
  validateCsiDriverName,
  type SourceRule,
} from '../../volumes/sources';
import { validateClaimTemplate } from './claim-template';
import { validateFieldRef, validateResourceFieldRef, volumeFieldPaths } from './environment';
import { validateLocalDescendingPath, validateLocalNonReservedPath } from './paths';

const modeText = 'must be a number between 0 and 0777 (octal), both inclusive';

function validateMode(mode: unknown, field: string, errors: Errors): void {
  if (typeof mode === 'number' && (mode > 0o777 || mode < 0)) errors.push(invalidValue(field, mode, modeText));
}

function validateItems(items: unknown, field: string, errors: Errors): void {
  for (const [index, item] of listOf(items).entries()) {
    const at = `${field}[${index}]`;
    if (!item.key) errors.push(required(`${at}.key`));
    if (!item.path) errors.push(required(`${at}.path`));
    validateLocalNonReservedPath(item.path ?? '', `${at}.path`, errors);
    validateMode(item.mode, `${at}.mode`, errors);
  }
}

function named(key: string): SourceRule {
  return (source, field, errors) => {
    if (!source[key]) errors.push(required(`${field}.${key}`));
    validateMode(source.defaultMode, `${field}.defaultMode`, errors);
    validateItems(source.items, `${field}.items`, errors);
  };
}

const gitRepo: SourceRule = (source, field, errors) => {
  if (!source.repository) errors.push(required(`${field}.repository`));
  validateLocalDescendingPath(source.directory ?? '', `${field}.directory`, errors);
};

const podIscsi = inTurn(needs('targetPortal'), iscsi({ unknownPrefix: 'must be valid format starting with iqn, eui, or naa' }));

const csi: SourceRule = (source, field, errors) => {
  validateCsiDriverName(source.driver ?? '', `${field}.driver`, errors);
  const secret = source.nodePublishSecretRef;
  if (!isSet(secret)) return;
  if (!secret.name) errors.push(required(`${field}.nodePublishSecretRef.name`));
  else validateTexts(isDnsSubdomain(secret.name), secret.name, `${field}.name`, errors);
};

const downwardItem = (item: Loose, field: string, errors: Errors): void => {
  if (!item.path) errors.push(required(`${field}.path`));
  validateLocalNonReservedPath(item.path ?? '', `${field}.path`, errors);
  if (item.fieldRef) {
    validateFieldRef(item.fieldRef, volumeFieldPaths, `${field}.fieldRef`, errors);
    if (item.resourceFieldRef)
      errors.push(invalidValue(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (item.resourceFieldRef) validateResourceFieldRef(item.resourceFieldRef, true, `${field}.resourceFieldRef`, errors);
  else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  validateMode(item.mode, `${field}.mode`, errors);
};

const downwardAPI: SourceRule = (source, field, errors) => {
  validateMode(source.defaultMode, `${field}.defaultMode`, errors);
  for (const item of listOf(source.items)) downwardItem(item, field, errors);
};

const ephemeral: SourceRule = (source, field, errors) => {
  if (!source.volumeClaimTemplate) errors.push(required(`${field}.volumeClaimTemplate`));
  else validateClaimTemplate(source.volumeClaimTemplate, `${field}.volumeClaimTemplate`, errors);
};

/** Sources of a projected volume: each of one kind, and no path twice. A path that is there already is reported with what its kind calls itself. */
const projected: SourceRule = (source, field, errors) => {
  validateMode(source.defaultMode, `${field}.defaultMode`, errors);
  const paths = new Set<string>();
  for (const [index, projection] of listOf(source.sources).entries()) {
    const at = `${field}.sources[${index}]`;
    const kinds = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'].filter((kind) => projection[kind]);
    for (const kind of kinds) {
      const part: Loose = projection[kind];
      if (kind === 'serviceAccountToken') validateToken(part, field, `${at}.${kind}`, errors);
      else projectedSource(kind, part, `${at}.${kind}`, errors);
      for (const { path } of listOf(part.items)) {
        if (path && paths.has(path))
          errors.push(invalidValue(field, kind === 'downwardAPI' ? path : part.name, 'conflicting duplicate paths'));
        if (path) paths.add(path);
      }
    }
    if (kinds.length > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'));
  }
};

function projectedSource(kind: string, source: Loose, field: string, errors: Errors): void {
  if (kind === 'downwardAPI') {
    for (const item of listOf(source.items)) downwardItem(item, field, errors);
    return;
  }
  if (!source.name) errors.push(required(`${field}.name`));
  validateItems(source.items, `${field}.items`, errors);
}

/** The path is reported at the volume, as upstream does. */
function validateToken({ expirationSeconds: seconds, path }: Loose, volume: string, field: string, errors: Errors): void {
  if (seconds < 600) errors.push(invalidValue(`${field}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32)
    errors.push(invalidValue(`${field}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (!path) errors.push(required(`${volume}.path`));
  else validateLocalNonReservedPath(path, `${volume}.path`, errors);
}

const emptyDir: SourceRule = (source, field, errors) => {
  if (isSet(source.sizeLimit) && quantityOf(source.sizeLimit).nano < 0n) {
    errors.push(forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
};

const image: SourceRule = (source, field, errors) => {
  if (!source.reference) errors.push(required(`${field}.reference`));
  if (source.pullPolicy) validateSupported(source.pullPolicy, ['Always', 'IfNotPresent', 'Never'], `${field}.pullPolicy`, errors);
};

/** Rules by source, in the order in which upstream looks for them; the first one found is checked, others are refused. */
export const volumeSources: readonly [string, SourceRule][] = [
  ['emptyDir', emptyDir],
  ['hostPath', hostPath],
  ['gitRepo', gitRepo],
  ['gcePersistentDisk', disk('pdName')],
  ['awsElasticBlockStore', disk('volumeID')],
  ['secret', named('secretName')],
  ['nfs', nfs],
  ['iscsi', podIscsi],
  ['glusterfs', needs('endpoints', 'path')],
  ['flocker', flocker],
  ['persistentVolumeClaim', needs('claimName')],
  ['rbd', needs('monitors', 'image')],
  ['cinder', inTurn(needs('volumeID'), secretReference('name'))],
  ['cephfs', needs('monitors')],
  ['quobyte', quobyte],
  ['downwardAPI', downwardAPI],
  ['fc', fibreChannel],
  ['flexVolume', flexVolume],
  ['configMap', named('name')],
  ['azureFile', needs('secretName', 'shareName')],
  ['vsphereVolume', needs('volumePath')],
  ['photonPersistentDisk', needs('pdID')],
  ['portworxVolume', needs('volumeID')],
  ['azureDisk', azureDisk],
  ['storageos', inTurn(storageOS, secretReference('name'))],
  ['projected', projected],
  ['scaleIO', needs('gateway', 'system', 'volumeName')],
  ['csi', csi],
  ['ephemeral', ephemeral],
  ['image', image],
];
