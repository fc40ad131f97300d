import type { KubeObject } from '#libs/kernel';
import { semanticEqual } from '../../../strategy/equality';
import { isSet, type Loose } from '../../../validation/values';
import { appArmor } from './validation/annotations';
import { containersOf } from './validation/operating-system';
import { validateAppArmor } from './validation/security';

const deprecated = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** The profile that an annotation of the time before the field names; undefined where it names none. */
function profileOf(annotation: string): Loose {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const local = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : '';
  return local === '' ? undefined : { type: 'Localhost', localhostProfile: local };
}

/** Where a container is spoken of by an old annotation and has no profile of its own: what the annotation says. */
function* annotated({ metadata, spec }: Loose): Generator<{ name: string; key: string; profile: Loose; differs: boolean }> {
  const annotations: Record<string, string> = metadata?.annotations ?? {};
  for (const [{ name = '', securityContext }] of containersOf(spec ?? {}, '')) {
    const key = `${appArmor}${name}`;
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (text === undefined || isSet(securityContext?.appArmorProfile)) continue;
    const profile = profileOf(text);
    yield { name, key, profile, differs: !semanticEqual(profile, spec.securityContext?.appArmorProfile) };
  }
}

function isValid(profile: Loose): boolean {
  if (profile === undefined) return false;
  const errors: Parameters<typeof validateAppArmor>[2] = [];
  validateAppArmor(profile, '', errors);
  return errors.length === 0;
}

/** Profiles in old annotations of a new pod become fields, where the pod's own profile is another one. */
export function withAppArmorFields(pod: KubeObject): KubeObject {
  const { spec } = pod;
  if (!spec || spec.os?.name === 'windows') return pod;
  const profiles = new Map<string, Loose>();
  for (const { name, profile, differs } of annotated(pod)) if (differs && isValid(profile)) profiles.set(name, profile);
  if (profiles.size === 0) return pod;
  const filled = { ...spec };
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    if (!filled[list]) continue;
    filled[list] = filled[list].map((container: Loose) => {
      const appArmorProfile = profiles.get(container.name ?? '');
      if (!appArmorProfile || isSet(container.securityContext?.appArmorProfile)) return container;
      return { ...container, securityContext: { ...container.securityContext, appArmorProfile } };
    });
  }
  return { ...pod, spec: filled };
}

/** What becomes of a new pod's old annotations: a field, or nothing. */
export function warnAboutNewAppArmor({ metadata, spec }: KubeObject, sent: KubeObject, warnings: string[]): void {
  if (spec?.os?.name === 'windows') return;
  const asked = { metadata, spec: { ...sent.spec, securityContext: spec?.securityContext } };
  for (const { key, profile, differs } of annotated(asked)) {
    if (isValid(profile) && !differs) continue;
    warnings.push(`metadata.annotations[${key}]: ${deprecated}`);
  }
}

/** Old annotations of a template that say something else than its pods' own profile. */
export function warnAboutAppArmor(holder: Loose, field: string, warnings: string[]): void {
  for (const { key, profile, differs } of annotated(holder)) {
    if (profile !== undefined && isSet(holder.spec?.securityContext?.appArmorProfile) && !differs) continue;
    warnings.push(`${field}metadata.annotations[${key}]: ${deprecated}`);
  }
}
