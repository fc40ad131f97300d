import { isLabelValue } from './formats';
import { listOf, type Loose } from './values';

/** Labels of nodes that have become something else, and what to say of them. */
export const oldNodeLabels: Record<string, string> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/** The text about a label that has become something else. */
export function oldLabelText(key: string): string | undefined {
  return Object.hasOwn(oldNodeLabels, key) ? oldNodeLabels[key] : undefined;
}

/** @param wish whether the term only weighs: then labels that no node can have are told, where others are refused for them */
export function warnAboutNodeTerm(term: Loose, wish: boolean, field: string, warnings: string[]): void {
  for (const [index, { key = '', values }] of listOf(term?.matchExpressions).entries()) {
    const at = `${field}.matchExpressions[${index}]`;
    const old = oldLabelText(key);
    if (old !== undefined) warnings.push(`${at}.key: ${key} is ${old}`);
    if (!wish) continue;
    for (const [position, value] of listOf(values).entries()) {
      for (const text of isLabelValue(value)) warnings.push(`${at}.values[${position}]: ${value} is invalid, ${text}`);
    }
  }
}
