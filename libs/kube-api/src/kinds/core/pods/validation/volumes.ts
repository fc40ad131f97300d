import { duplicate, forbidden, invalidValue, notFoundValue, required } from '../../../../status/field-error';
import { isDnsLabel, isDnsSubdomain } from '../../../../validation/formats';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateSupported, validateTexts } from '../../../../validation/values';
import { climbs, validateLocalDescendingPath } from './paths';
import { volumeSources } from './volume-sources';

export type Volumes = ReadonlyMap<string, Loose>;

/** The volumes that are right, by name; mounts of others are then reported as unknown. `podName`: where claims are made from it. */
export function validateVolumes(list: unknown, podName: string | undefined, field: string, errors: Errors): Volumes {
  const found = new Map<string, Loose>();
  const volumes = listOf(list);
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`;
    const own: Errors = [];
    validateSource(volume, podName, at, own);
    const name: string = volume.name ?? '';
    if (name === '') own.push(required(`${at}.name`));
    else validateTexts(isDnsLabel(name), name, `${at}.name`, own);
    if (found.has(name)) own.push(duplicate(`${at}.name`, name));
    if (own.length === 0) found.set(name, volume);
    else errors.push(...own);
    const claim: string | undefined = volume.persistentVolumeClaim?.claimName;
    if (claim && podName && volumes.some((other) => other.ephemeral && claim === `${podName}-${other.name}`)) {
      const text = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalidValue(`${at}.persistentVolumeClaim.claimName`, claim, text));
    }
  }
  return found;
}

/** Where upstream's paths differ from the field's name. */
const refusedPaths: Record<string, string> = { downwardAPI: 'downwarAPI', cephfs: 'cephFS' };
const checkedPaths: Record<string, string> = { gcePersistentDisk: 'persistentDisk' };

function validateSource(volume: Loose, podName: string | undefined, field: string, errors: Errors): void {
  let found = 0;
  for (const [key, rule] of volumeSources) {
    const source = volume[key];
    if (!isSet(source)) continue;
    if (found > 0) errors.push(forbidden(`${field}.${refusedPaths[key] ?? key}`, 'may not specify more than 1 volume type'));
    else {
      rule(source, `${field}.${checkedPaths[key] ?? key}`, errors);
      if (key === 'ephemeral' && podName && volume.name) validateClaimName(`${podName}-${volume.name}`, volume.name, field, errors);
    }
    found++;
  }
  if (found === 0) errors.push(required(field, 'must specify a volume type'));
}

function validateClaimName(claim: string, volume: string, field: string, errors: Errors): void {
  for (const text of isDnsSubdomain(claim)) errors.push(invalidValue(`${field}.name`, volume, `PVC name "${claim}": ${text}`));
}

export function validateVolumeMounts(container: Loose, volumes: Volumes, field: string, errors: Errors): void {
  const devices = new Map<string, string>(listOf(container.volumeDevices).map((device) => [device.name, device.devicePath]));
  const devicePaths = new Set(devices.values());
  const paths = new Set<string>();
  for (const [index, mount] of listOf(container.volumeMounts).entries()) {
    const at = `${field}[${index}]`;
    const name: string = mount.name ?? '';
    const path: string = mount.mountPath ?? '';
    if (name === '') errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name));
    if (path === '') errors.push(required(`${at}.mountPath`));
    if (paths.has(path)) errors.push(invalidValue(`${at}.mountPath`, path, 'must be unique'));
    paths.add(path);
    if (devices.has(name)) errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(path)) errors.push(invalidValue(`${at}.mountPath`, path, 'must not already exist as a path in volumeDevices'));
    validateSubPath(mount, volumes.get(name), field, at, errors);
    if (isSet(mount.mountPropagation)) validatePropagation(mount.mountPropagation, container, `${field}.mountPropagation`, errors);
    validateRecursiveReadOnly(mount, `${field}.recursiveReadOnly`, errors);
  }
}

/** Sub-paths are reported at the list, as upstream does. */
function validateSubPath(mount: Loose, volume: Loose, field: string, at: string, errors: Errors): void {
  for (const key of ['subPath', 'subPathExpr']) {
    if (volume?.image && mount[key]) errors.push(invalidValue(`${at}.${key}`, mount[key], 'not allowed in image volume sources'));
  }
  if (mount.subPath) validateLocalDescendingPath(mount.subPath, `${field}.subPath`, errors);
  if (!mount.subPathExpr) return;
  if (mount.subPath) errors.push(invalidValue(`${at}.subPathExpr`, mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  validateLocalDescendingPath(mount.subPathExpr, `${field}.subPathExpr`, errors);
}

function validatePropagation(mode: string, container: Loose, field: string, errors: Errors): void {
  validateSupported(mode, ['Bidirectional', 'HostToContainer', 'None'], field, errors);
  if (mode === 'Bidirectional' && container.securityContext?.privileged !== true) {
    errors.push(forbidden(field, 'Bidirectional mount propagation is available only to privileged containers'));
  }
}

function validateRecursiveReadOnly(mount: Loose, field: string, errors: Errors): void {
  const mode = mount.recursiveReadOnly;
  if (!isSet(mode) || mode === 'Disabled') return;
  if (mode !== 'Enabled' && mode !== 'IfPossible') {
    validateSupported(mode, ['Disabled', 'Enabled', 'IfPossible'], field, errors);
    return;
  }
  if (mount.readOnly !== true) errors.push(forbidden(field, 'may only be specified when readOnly is true'));
  if (isSet(mount.mountPropagation) && mount.mountPropagation !== 'None') {
    errors.push(forbidden(field, 'may only be specified when mountPropagation is None or not specified'));
  }
}

export function validateVolumeDevices(container: Loose, volumes: Volumes, field: string, errors: Errors): void {
  const mounts = new Map<string, string>(listOf(container.volumeMounts).map((mount) => [mount.name, mount.mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, device] of listOf(container.volumeDevices).entries()) {
    const at = `${field}[${index}]`;
    const name: string = device.name ?? '';
    const path: string = device.devicePath ?? '';
    const volume = volumes.get(name);
    if (name === '') errors.push(required(`${at}.name`));
    if (names.has(name)) errors.push(invalidValue(`${at}.name`, name, 'must be unique'));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalidValue(`${at}.name`, name, text));
    }
    if (!volume) errors.push(notFoundValue(`${at}.name`, name));
    if (path === '') errors.push(required(`${at}.devicePath`));
    if (paths.has(path)) errors.push(invalidValue(`${at}.devicePath`, path, 'must be unique'));
    if (path !== '' && climbs(path)) errors.push(invalidValue(`${at}.devicePath`, path, "can not contain backsteps ('..')"));
    else paths.add(path);
    if (mounts.has(name)) errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(path)) errors.push(invalidValue(`${at}.devicePath`, path, 'must not already exist as a path in volumeMounts'));
    if (name !== '') names.add(name);
  }
}
