import { forbidden, invalidValue, required, tooLong, unsupported } from '../../../../status/field-error';
import { isDnsSubdomain } from '../../../../validation/formats';
import { quantityOf } from '../../../../validation/resources';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateSupported, validateTexts } from '../../../../validation/values';
import { validateClaimTemplate } from './claim-template';
import { validateFieldRef, validateResourceFieldRef, volumeFieldPaths } from './environment';
import { validateLocalDescendingPath, validateLocalNonReservedPath, validateNoBacksteps } from './paths';

type SourceRule = (source: Loose, field: string, errors: Errors) => void;

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

/** Fields that must not be empty, in order. */
function needs(...keys: string[]): SourceRule {
  return (source, field, errors) => {
    for (const key of keys) if (!source[key]) errors.push(required(`${field}.${key}`));
  };
}

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

const hostPath: SourceRule = (source, field, errors) => {
  if (!source.path) {
    errors.push(required(`${field}.path`));
    return;
  }
  validateNoBacksteps(source.path, `${field}.path`, errors);
  if (isSet(source.type)) validateSupported(source.type, hostPathTypes, `${field}.type`, errors);
};

const gitRepo: SourceRule = (source, field, errors) => {
  if (!source.repository) errors.push(required(`${field}.repository`));
  validateLocalDescendingPath(source.directory ?? '', `${field}.directory`, errors);
};

function disk(key: string): SourceRule {
  return (source, field, errors) => {
    if (!source[key]) errors.push(required(`${field}.${key}`));
    if (source.partition < 0 || source.partition > 255) {
      errors.push(invalidValue(`${field}.partition`, source.partition, 'must be between 0 and 255, inclusive'));
    }
  };
}

const nfs: SourceRule = (source, field, errors) => {
  needs('server', 'path')(source, field, errors);
  const path: string = source.path ?? '';
  if (!path.startsWith('/')) errors.push(invalidValue(`${field}.path`, path, 'must be an absolute path'));
};

const iscsi: SourceRule = (source, field, errors) => {
  needs('targetPortal', 'iqn')(source, field, errors);
  if (source.iqn && !/^(iqn|eui|naa)/.test(source.iqn)) {
    errors.push(invalidValue(`${field}.iqn`, source.iqn, 'must be valid format starting with iqn, eui, or naa'));
  }
  if (source.lun < 0 || source.lun > 255) errors.push(invalidValue(`${field}.lun`, source.lun, 'must be between 0 and 255, inclusive'));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) errors.push(required(`${field}.secretRef`));
};

const csi: SourceRule = (source, field, errors) => {
  const driver: string = source.driver ?? '';
  if (driver === '') errors.push(required(`${field}.driver`));
  else {
    if (driver.length > 63) errors.push(tooLong(`${field}.driver`, 63));
    validateTexts(isDnsSubdomain(driver.toLowerCase()), driver, `${field}.driver`, errors);
  }
  if (source.nodePublishSecretRef && !source.nodePublishSecretRef.name) errors.push(required(`${field}.nodePublishSecretRef.name`));
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

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const azureDisk: SourceRule = (source, field, errors) => {
  needs('diskName', 'diskURI')(source, field, errors);
  const { cachingMode, kind, diskURI = '' } = source;
  if (isSet(cachingMode)) validateSupported(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], `${field}.cachingMode`, errors);
  if (!isSet(kind)) return;
  validateSupported(kind, ['Dedicated', 'Managed', 'Shared'], `${field}.kind`, errors);
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) errors.push(unsupported(`${field}.diskURI`, diskURI, [managedDisk]));
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) errors.push(unsupported(`${field}.diskURI`, diskURI, [blobDisk]));
};

const hostAndPort = /^(?:\[[^\]]*\]|[^:\n]*):[^:\n]*$/;

const quobyte: SourceRule = (source, field, errors) => {
  if (!source.registry) errors.push(required(`${field}.registry`));
  else if (!source.registry.split(',').every((pair: string) => hostAndPort.test(pair))) {
    errors.push(invalidValue(`${field}.registry`, source.registry, 'must be a host:port pair or multiple pairs separated by commas'));
  }
  needs('volume')(source, field, errors);
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
  ['iscsi', iscsi],
  ['glusterfs', needs('endpoints', 'path')],
  ['flocker', () => undefined],
  ['persistentVolumeClaim', needs('claimName')],
  ['rbd', needs('monitors', 'image')],
  ['cinder', needs('volumeID')],
  ['cephfs', needs('monitors')],
  ['quobyte', quobyte],
  ['downwardAPI', downwardAPI],
  ['fc', () => undefined],
  ['flexVolume', needs('driver')],
  ['configMap', named('name')],
  ['azureFile', needs('secretName', 'shareName')],
  ['vsphereVolume', needs('volumePath')],
  ['photonPersistentDisk', needs('pdID')],
  ['portworxVolume', needs('volumeID')],
  ['azureDisk', azureDisk],
  ['storageos', needs('volumeName')],
  ['projected', projected],
  ['scaleIO', needs('gateway', 'system', 'volumeName')],
  ['csi', csi],
  ['ephemeral', ephemeral],
  ['image', image],
];
