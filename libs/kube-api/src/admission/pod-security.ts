import { invalidValue } from '../status';
import type { FieldError } from '../status';

const levels = ['privileged', 'baseline', 'restricted'];
const prefix = 'pod-security.kubernetes.io/';

/** What is wrong with the labels by which a namespace says how safe its pods must be. */
export function podSecurityErrors(labels: Record<string, string> | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const mode of ['enforce', 'audit', 'warn']) {
    const level = valueOf(labels, mode);
    if (level !== undefined && !levels.includes(level)) errors.push(refusal(mode, level, `must be one of ${levels.join(', ')}`));
    const version = valueOf(labels, `${mode}-version`);
    if (version !== undefined && !/^(latest|v1\.(0|[1-9]\d*))$/.test(version)) {
      errors.push(refusal(`${mode}-version`, version, 'must be "latest" or "v1.x"'));
    }
  }
  return errors;
}

function valueOf(labels: Record<string, string> | undefined, name: string): string | undefined {
  const key = `${prefix}${name}`;
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function refusal(name: string, value: string, text: string): FieldError {
  return invalidValue(`metadata.labels[${prefix}${name}]`, value, text);
}
