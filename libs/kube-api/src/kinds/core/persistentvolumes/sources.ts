import { forbidden, invalidValue, required } from '../../../status/field-error';
import { isSet, validateDnsLabel, validateDnsSubdomain, type Errors, type Loose } from '../../../validation/values';
import { validateNoBacksteps } from '../pods/validation/paths';
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
} from '../volumes/sources';

/** The name of a volume and its portal become one name of the initiator. */
const initiatorCharactersMax = 64;

function iscsiOf(volume: string): SourceRule {
  const rest = iscsi({ unknownPrefix: 'must be valid format', namedSecret: true });
  return (source, field, errors) => {
    const portal: string = source.targetPortal ?? '';
    if (portal === '') errors.push(required(`${field}.targetPortal`));
    if (isSet(source.initiatorName) && `${volume}:${portal}`.length > initiatorCharactersMax) {
      const text = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
      errors.push(invalidValue(`${field}.targetportal`, portal, text));
    }
    rest(source, field, errors);
  };
}

const glusterfs: SourceRule = (source, field, errors) => {
  needs('endpoints', 'path')(source, field, errors);
  const { endpointsNamespace: namespace } = source;
  if (!isSet(namespace)) return;
  const at = `${field}.endpointsNamespace`;
  if (namespace === '') errors.push(invalidValue(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'));
  else validateDnsLabel(namespace, at, errors);
};

const azureFile: SourceRule = (source, field, errors) => {
  needs('secretName', 'shareName')(source, field, errors);
  if (source.secretNamespace === '') errors.push(required(`${field}.secretNamespace`));
};

const local: SourceRule = ({ path = '' }, field, errors) => {
  if (path === '') errors.push(required(`${field}.path`));
  else validateNoBacksteps(path, `${field}.path`, errors);
};

const csiSecrets = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'];

const csi: SourceRule = (source, field, errors) => {
  validateCsiDriverName(source.driver ?? '', `${field}.driver`, errors);
  if (!source.volumeHandle) errors.push(required(`${field}.volumeHandle`));
  for (const key of csiSecrets) if (isSet(source[key])) validateSecret(source[key], `${field}.${key}`, errors);
};

function validateSecret({ name = '', namespace = '' }: Loose, field: string, errors: Errors): void {
  if (name === '') errors.push(required(`${field}.name`));
  else validateDnsSubdomain(name, `${field}.name`, errors);
  if (namespace === '') errors.push(required(`${field}.namespace`));
  else validateDnsLabel(namespace, `${field}.namespace`, errors);
}

/** Rules by source, in the order in which upstream looks for them; the first one found is checked, others are refused. */
export const persistentSources: readonly (readonly [key: string, rule: (volume: string) => SourceRule])[] = [
  ['hostPath', () => hostPath],
  ['gcePersistentDisk', () => disk('pdName')],
  ['awsElasticBlockStore', () => disk('volumeID')],
  ['glusterfs', () => glusterfs],
  ['flocker', () => flocker],
  ['nfs', () => nfs],
  ['rbd', () => needs('monitors', 'image')],
  ['quobyte', () => quobyte],
  ['cephfs', () => needs('monitors')],
  ['iscsi', iscsiOf],
  ['cinder', () => inTurn(needs('volumeID'), secretReference('name', 'namespace'))],
  ['fc', () => fibreChannel],
  ['flexVolume', () => flexVolume],
  ['azureFile', () => azureFile],
  ['vsphereVolume', () => needs('volumePath')],
  ['photonPersistentDisk', () => needs('pdID')],
  ['portworxVolume', () => needs('volumeID')],
  ['azureDisk', () => azureDisk],
  ['scaleIO', () => needs('gateway', 'system', 'volumeName')],
  ['local', () => local],
  ['storageos', () => inTurn(storageOS, secretReference('name', 'namespace'))],
  ['csi', () => csi],
];

/** Where upstream's paths differ from the field's name. */
const refusedPaths: Record<string, string> = { cephfs: 'cephFS' };
const checkedPaths: Record<string, string> = { gcePersistentDisk: 'persistentDisk' };

/** @param volume its name, which some sources make other names of */
export function validateSource(spec: Loose, volume: string, field: string, errors: Errors): void {
  let found = 0;
  for (const [key, ruleOf] of persistentSources) {
    const source = spec[key];
    if (!isSet(source)) continue;
    // Upstream forgets to refuse a flexVolume beside another source.
    if (found > 0 && key !== 'flexVolume')
      errors.push(forbidden(`${field}.${refusedPaths[key] ?? key}`, 'may not specify more than 1 volume type'));
    else {
      ruleOf(volume)(source, `${field}.${checkedPaths[key] ?? key}`, errors);
      if (key === 'local' && !isSet(spec.nodeAffinity)) {
        errors.push(required(`${field}.nodeAffinity`, 'Local volume requires node affinity'));
      }
    }
    found++;
  }
  if (found === 0) errors.push(required(field, 'must specify a volume type'));
}
