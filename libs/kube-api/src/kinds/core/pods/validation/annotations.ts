import type { KubeObject } from '#libs/kernel';
import { parseJson } from '../../../../decode/go-json';
import { forbidden, invalidValue } from '../../../../status/field-error';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet } from '../../../../validation/values';
import { containersOf } from './operating-system';

export const mirrorAnnotation = 'kubernetes.io/config.mirror';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
export const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
export const appArmor = 'container.apparmor.security.beta.kubernetes.io/';
const tolerationsAlpha = 'scheduler.alpha.kubernetes.io/tolerations';

type Annotations = Record<string, string> | undefined;

function valueOf(annotations: Annotations, key: string): string | undefined {
  return annotations && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

/** Annotations that mean something to pods, on pods and on templates. */
export function validatePodAnnotations(annotations: Annotations, spec: Loose, field: string, errors: Errors): void {
  const mirror = valueOf(annotations, mirrorAnnotation);
  if (mirror !== undefined && !spec.nodeName) {
    errors.push(invalidValue(`${field}[${mirrorAnnotation}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  }
  const cost = valueOf(annotations, deletionCost);
  if (cost !== undefined && !/^(0|-?[1-9]\d{0,9})$/.test(cost)) {
    errors.push(invalidValue(`${field}[${deletionCost}]`, cost, 'must be a 32bit integer'));
  }
  const old = valueOf(annotations, tolerationsAlpha);
  if (old) validateOldTolerations(old, field, errors);
  for (const [key, value] of Object.entries(annotations ?? {})) {
    if (key === seccompPod || key.startsWith(seccompContainer)) validateSeccompName(value, `${field}.${key}`, errors);
    if (key.startsWith(appArmor)) validateAppArmorName(key.slice(appArmor.length), value, spec, `${field}[${key}]`, errors);
  }
}

/** The key is shown, not what is wrong with its value. */
function validateOldTolerations(text: string, field: string, errors: Errors): void {
  const { error } = parseJson(text);
  if (error !== undefined) errors.push(invalidValue(field, tolerationsAlpha, error));
}

function validateSeccompName(profile: string, field: string, errors: Errors): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return;
  if (!profile.startsWith('localhost/')) errors.push(invalidValue(field, profile, 'must be a valid seccomp profile'));
}

function validateAppArmorName(container: string, profile: string, spec: Loose, field: string, errors: Errors): void {
  if (!containersOf(spec, 'spec').some(([{ name }]) => name === container))
    errors.push(invalidValue(field, container, 'container not found'));
  if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith('localhost/')) {
    errors.push(invalidValue(field, profile, `invalid AppArmor profile name: "${profile}"`));
  }
}

/** Where annotation and field both name a profile, they must name the same. */
export function validateProfilesAgree(annotations: Annotations, spec: Loose, field: string, errors: Errors): void {
  if (!annotations) return;
  const ofPod = spec.securityContext?.seccompProfile;
  compareProfile('seccomp', valueOf(annotations, seccompPod), ofPod, `${field}.securityContext.seccompProfile`, errors);
  const containers = containersOf(spec, field);
  for (const [container, at] of containers) {
    const annotation = valueOf(annotations, `${seccompContainer}${container.name}`);
    compareProfile('seccomp', annotation, container.securityContext?.seccompProfile, `${at}.securityContext.seccompProfile`, errors);
  }
  if (spec.os?.name === 'windows') return;
  for (const [container, at] of containers) {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const annotation = valueOf(annotations, `${appArmor}${container.name}`);
    compareProfile('apparmor', annotation, profile, `${at}.securityContext.appArmorProfile`, errors);
  }
}

function compareProfile(system: string, annotation: string | undefined, profile: Loose, field: string, errors: Errors): void {
  if (annotation === undefined || !isSet(profile)) return;
  const types: Record<string, string[]> = { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default', 'docker/default'] };
  const typeDiffers = () => errors.push(forbidden(`${field}.type`, `${system} type in annotation and field must match`));
  if (profile.type === 'Localhost') {
    if (!annotation.startsWith('localhost/')) typeDiffers();
    else if (annotation.slice('localhost/'.length) !== profile.localhostProfile) {
      errors.push(forbidden(`${field}.localhostProfile`, `${system} profile in annotation and field must match`));
    }
  } else if (types[profile.type] && !types[profile.type]?.includes(annotation)) typeDiffers();
}

/** The mark of a mirror pod, and old security annotations, stay as they were. What any pod's annotations are held to is said once more. */
export function validatePodAnnotationUpdate(updated: KubeObject, old: KubeObject, field: string, errors: Errors): void {
  const now: Record<string, string> = updated.metadata.annotations ?? {};
  const before: Record<string, string> = old.metadata.annotations ?? {};
  const refuse = (key: string, what: string) => {
    if (key.startsWith(appArmor)) errors.push(forbidden(`${field}[${key}]`, `may not ${what} AppArmor annotations`));
    if (key === mirrorAnnotation) errors.push(forbidden(`${field}[${key}]`, `may not ${what} mirror pod annotation`));
  };
  for (const key of Object.keys(before)) if (!Object.hasOwn(now, key) || now[key] !== before[key]) refuse(key, 'remove or update');
  for (const key of Object.keys(now)) if (!Object.hasOwn(before, key)) refuse(key, 'add');
  validatePodAnnotations(updated.metadata.annotations, updated.spec ?? {}, field, errors);
}
