import { invalidValue, required, tooLong, unsupported } from '../../../status/field-error';
import { inRange, isDnsSubdomain } from '../../../validation/formats';
import {
  entriesOf,
  isSet,
  listOf,
  validateDnsLabel,
  validateSupported,
  validateTexts,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { validateNoBacksteps } from '../pods/validation/paths';

/** Where a volume's data is: the rules that volumes of pods and persistent volumes have in common. */
export type SourceRule = (source: Loose, field: string, errors: Errors) => void;

/** Fields that must not be empty, in order. */
export function needs(...keys: string[]): SourceRule {
  return (source, field, errors) => {
    for (const key of keys) if (isEmpty(source[key])) errors.push(required(`${field}.${key}`));
  };
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

/** One rule after the other. */
export function inTurn(...rules: SourceRule[]): SourceRule {
  return (source, field, errors) => {
    for (const rule of rules) rule(source, field, errors);
  };
}

/** A reference whose name, and where it has one whose namespace, must be there. */
export function secretReference(...keys: string[]): SourceRule {
  return ({ secretRef }, field, errors) => {
    if (isSet(secretRef)) needs(...keys)(secretRef, `${field}.secretRef`, errors);
  };
}

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

export const hostPath: SourceRule = (source, field, errors) => {
  if (!source.path) {
    errors.push(required(`${field}.path`));
    return;
  }
  validateNoBacksteps(source.path, `${field}.path`, errors);
  if (isSet(source.type)) validateSupported(source.type, hostPathTypes, `${field}.type`, errors);
};

/** A disk of a cloud. The text names another range than the one that is checked, as upstream's does. */
export function disk(key: string): SourceRule {
  return (source, field, errors) => {
    if (!source[key]) errors.push(required(`${field}.${key}`));
    if (source.partition < 0 || source.partition > 255) {
      validateTexts(inRange(source.partition, 1, 255), source.partition, `${field}.partition`, errors);
    }
  };
}

export const nfs: SourceRule = (source, field, errors) => {
  needs('server', 'path')(source, field, errors);
  const path: string = source.path ?? '';
  if (!path.startsWith('/')) errors.push(invalidValue(`${field}.path`, path, 'must be an absolute path'));
};

const iscsiNames: readonly (readonly [prefix: string, pattern: RegExp])[] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
];

/** Names of targets and initiators. @param unknown the text where the name begins with none of the three prefixes */
function validateIscsiName(name: string, field: string, unknown: string, errors: Errors): void {
  const known = iscsiNames.find(([prefix]) => name.startsWith(prefix));
  if (!known) errors.push(invalidValue(field, name, unknown));
  else if (!known[1].test(name)) errors.push(invalidValue(field, name, 'must be valid format'));
}

interface IscsiTexts {
  /** Said of a name that begins with none of the three known prefixes. */
  unknownPrefix: string;
  /** A secret that is referred to must be named. */
  namedSecret?: boolean;
}

/** All but the portal, which each of the two owners of such a source checks in its own way. */
export function iscsi({ unknownPrefix, namedSecret = false }: IscsiTexts): SourceRule {
  return (source, field, errors) => {
    const { iqn = '', lun = 0, secretRef, initiatorName } = source;
    if (iqn === '') errors.push(required(`${field}.iqn`));
    else validateIscsiName(iqn, `${field}.iqn`, unknownPrefix, errors);
    validateTexts(inRange(lun, 0, 255), lun, `${field}.lun`, errors);
    if ((source.chapAuthDiscovery || source.chapAuthSession) && !isSet(secretRef)) errors.push(required(`${field}.secretRef`));
    if (namedSecret && isSet(secretRef) && !secretRef.name) errors.push(required(`${field}.secretRef.name`));
    if (isSet(initiatorName)) validateIscsiName(initiatorName, `${field}.initiatorname`, unknownPrefix, errors);
  };
}

export const flocker: SourceRule = ({ datasetName = '', datasetUUID = '' }, field, errors) => {
  if (datasetName === '' && datasetUUID === '') errors.push(required(field, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '') {
    errors.push(invalidValue(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName.includes('/')) errors.push(invalidValue(`${field}.datasetName`, datasetName, "must not contain '/'"));
};

export const fibreChannel: SourceRule = ({ targetWWNs, wwids, lun }, field, errors) => {
  const targets = listOf(targetWWNs);
  const ids = listOf(wwids);
  const at = `${field}.targetWWNs`;
  if (targets.length + ids.length === 0) errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'));
  if (targets.length > 0 && ids.length > 0) {
    errors.push(invalidValue(at, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targets.length === 0) return;
  if (!isSet(lun)) errors.push(required(`${field}.lun`, 'lun is required if targetWWNs is specified'));
  else validateTexts(inRange(lun, 0, 255), lun, `${field}.lun`, errors);
};

/** Options of Kubernetes' own domains are for the driver's caller to set. */
export const flexVolume: SourceRule = (source, field, errors) => {
  needs('driver')(source, field, errors);
  for (const [key] of entriesOf(source.options)) {
    const domain = `.${(key.split('/')[0] as string).toLowerCase()}`;
    if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) continue;
    errors.push(invalidValue(`${field}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
};

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export const azureDisk: SourceRule = (source, field, errors) => {
  needs('diskName', 'diskURI')(source, field, errors);
  const { cachingMode, kind, diskURI = '' } = source;
  if (isSet(cachingMode)) validateSupported(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], `${field}.cachingMode`, errors);
  if (!isSet(kind)) return;
  validateSupported(kind, ['Dedicated', 'Managed', 'Shared'], `${field}.kind`, errors);
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) errors.push(unsupported(`${field}.diskURI`, diskURI, [managedDisk]));
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) errors.push(unsupported(`${field}.diskURI`, diskURI, [blobDisk]));
};

const hostAndPort = /^(?:\[[^\]]*\]|[^:\n]*):[^:\n]*$/;
const registryText = 'must be a host:port pair or multiple pairs separated by commas';

export const quobyte: SourceRule = ({ registry = '', tenant = '', volume }, field, errors) => {
  if (registry === '') errors.push(required(`${field}.registry`, registryText));
  else if (tenant.length >= 65) errors.push(required(`${field}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  else {
    for (const pair of registry.split(',')) {
      if (!hostAndPort.test(pair)) errors.push(invalidValue(`${field}.registry`, registry, registryText));
    }
  }
  if (!volume) errors.push(required(`${field}.volume`));
};

export const storageOS: SourceRule = ({ volumeName, volumeNamespace }, field, errors) => {
  if (!volumeName) errors.push(required(`${field}.volumeName`));
  else validateDnsLabel(volumeName, `${field}.volumeName`, errors);
  if (volumeNamespace) validateDnsLabel(volumeNamespace, `${field}.volumeNamespace`, errors);
};

/** At most 63 characters; letters may be large ones. */
export function validateCsiDriverName(driver: string, field: string, errors: Errors): void {
  if (driver === '') errors.push(required(field));
  if (driver.length > 63) errors.push(tooLong(field, 63));
  validateTexts(isDnsSubdomain(driver.toLowerCase()), driver, field, errors);
}
