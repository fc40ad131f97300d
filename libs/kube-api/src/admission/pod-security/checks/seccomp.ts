import { goQuote } from '../../../status';
import {
  containersOf,
  containersText,
  containersThat,
  plural,
  quoted,
  setters,
  sortedSet,
  unlessWindows,
  type Check,
  type CheckPod,
  type PodLike,
  type SecurityContext,
  type Violation,
} from './check';

const reason = 'seccompProfile';
const podAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const containerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';

/** Until 1.18 the profile was an annotation. */
const annotated: CheckPod = (pod) => {
  const keys = [podAnnotation, ...containersOf(pod).map(({ name }) => `${containerAnnotation}${name}`)];
  const forbidden = keys
    .filter((key) => Object.hasOwn(pod.annotations, key) && !isAllowedAnnotation(pod.annotations[key] as string))
    .map((key) => `${key}=${goQuote(pod.annotations[key] as string)}`);
  const told = sortedSet(forbidden);
  if (told.length === 0) return undefined;
  return { reason, detail: `forbidden ${plural('annotation', 'annotations', told.length)} ${told.join(', ')}` };
};

function isAllowedAnnotation(value: string): boolean {
  return value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
}

function isSet({ seccompProfile }: SecurityContext): boolean {
  return seccompProfile !== undefined && seccompProfile !== null;
}

function isBad(context: SecurityContext): boolean {
  const type = context.seccompProfile?.type ?? '';
  return isSet(context) && type !== 'Localhost' && type !== 'RuntimeDefault';
}

/** A profile that is named must be one of the safe ones. */
const named = (pod: PodLike): Violation | undefined => {
  const whole = pod.spec.securityContext ?? {};
  const who = setters(isBad(whole), containersThat(pod, isBad));
  if (who.length === 0) return undefined;
  const contexts = [whole, ...containersOf(pod).map(({ securityContext = {} }) => securityContext)];
  const types = sortedSet(contexts.filter(isBad).map(({ seccompProfile }) => seccompProfile?.type ?? ''));
  return { reason, detail: `${who.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(types)}` };
};

/** And one must be named. */
const demanded: CheckPod = (pod) => {
  const wrong = named(pod);
  if (wrong || isSet(pod.spec.securityContext ?? {})) return wrong;
  const without = containersThat(pod, (context) => !isSet(context));
  if (without.length === 0) return undefined;
  const allowed = '"RuntimeDefault" or "Localhost"';
  return { reason, detail: `pod or ${containersText(without)} must set securityContext.seccompProfile.type to ${allowed}` };
};

export const seccompProfileBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, check: annotated },
    { since: 19, check: named },
  ],
};

export const seccompProfileRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  versions: [
    { since: 19, check: demanded },
    { since: 25, check: unlessWindows(demanded) },
  ],
  overrides: 'seccompProfile_baseline',
};
