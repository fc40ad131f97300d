import type { ObjectSelector } from '#libs/kube-api';

/** A selector as upstream's texts print it: the generated String() of the Go struct. */
export function goSelectorText(selector: ObjectSelector | undefined): string {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const matchLabels = labels.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${matchLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
