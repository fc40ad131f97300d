import { requirementMatches, type LabelOperator } from '#libs/kube-api';
import type { KubeObject } from '#libs/kernel';

interface Expression {
  key?: string;
  operator?: string;
  values?: string[];
}

interface Term {
  matchExpressions?: Expression[];
  matchFields?: Expression[];
}

const operators: Record<string, LabelOperator> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!', Gt: 'gt', Lt: 'lt' };

type Labels = Record<string, string> | undefined;

function expressionHolds({ key = '', operator = '', values = [] }: Expression, labels: Labels): boolean {
  const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  return known !== undefined && requirementMatches({ key, operator: known, values }, labels);
}

/** A term without any condition matches no node; the only field there is is the node's name. */
function termHolds({ matchExpressions = [], matchFields = [] }: Term, node: KubeObject): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { 'metadata.name': node.metadata.name };
  return (
    matchExpressions.every((expression) => expressionHolds(expression, node.metadata.labels)) &&
    matchFields.every((expression) => expressionHolds(expression, fields))
  );
}

/** `nodeSelector` and the required node affinity, both. */
export function matchesNode(pod: KubeObject, node: KubeObject): boolean {
  const { nodeSelector, affinity } = pod.spec ?? {};
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries((nodeSelector ?? {}) as Record<string, string>)) {
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  }
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || ((required.nodeSelectorTerms ?? []) as Term[]).some((term) => termHolds(term, node));
}

interface Taint {
  key: string;
  value?: string;
  effect: string;
}

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

/** Empty effect tolerates every effect, an empty key (with Exists) every key; the operator defaults to Equal. */
export function toleratesTaint({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || ((operator === 'Equal' || operator === '') && value === (taint.value ?? ''));
}

/** The kubelet minds NoExecute taints only. */
export function untoleratedNoExecute(pod: KubeObject, node: KubeObject): boolean {
  const tolerations = (pod.spec?.tolerations ?? []) as Toleration[];
  const taints = (node.spec?.taints ?? []) as Taint[];
  return taints.some((taint) => taint.effect === 'NoExecute' && !tolerations.some((toleration) => toleratesTaint(toleration, taint)));
}
