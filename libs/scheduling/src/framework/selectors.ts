/** Label selectors and node selectors, compiled once and matched often (apimachinery `labels`, component-helpers `nodeaffinity`). */

export type Labels = Readonly<Record<string, string>>;
export const noLabels: Labels = Object.freeze({});

/** The value of a label. Safe for keys such as `constructor`: only strings are labels, and prototypes hold none. */
export function labelOf(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === 'string' ? value : undefined;
}

export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/**
 * A conjunction of requirements. `nothing` selects no object whatever the requirements; a selector without requirements that
 * is not `nothing` selects every object and is called empty.
 */
export interface Selector {
  readonly requirements: readonly Requirement[];
  readonly nothing: boolean;
}

export const selectNothing: Selector = { requirements: [], nothing: true };
export const selectEverything: Selector = { requirements: [], nothing: false };

export function isEmptySelector(selector: Selector): boolean {
  return !selector.nothing && selector.requirements.length === 0;
}

export function selectorMatches(selector: Selector, labels: Labels): boolean {
  if (selector.nothing) return false;
  for (const requirement of selector.requirements) if (!requirementMatches(requirement, labels)) return false;
  return true;
}

/** Go's ParseInt in base 10 for 64 bits: optional sign, digits only. */
function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > 9223372036854775807n || value < -9223372036854775808n ? undefined : value;
}

export function requirementMatches(requirement: Requirement, labels: Labels): boolean {
  const value = labelOf(labels, requirement.key);
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const left = value === undefined ? undefined : parseInteger(value);
      const right = parseInteger(requirement.values[0] ?? '');
      if (left === undefined || right === undefined) return false;
      return requirement.operator === 'Gt' ? left > right : left < right;
    }
  }
}

interface RawExpression {
  key?: string;
  operator?: string;
  values?: string[];
}

/** Undefined when the expression is malformed (upstream: a parse error, and what holds it matches nothing). */
function compileExpression(raw: RawExpression): Requirement | undefined {
  const { key, operator } = raw;
  const values = raw.values ?? [];
  if (typeof key !== 'string' || key === '') return undefined;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? { key, operator, values } : undefined;
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? { key, operator, values } : undefined;
    case 'Gt':
    case 'Lt':
      return values.length === 1 && parseInteger(values[0] ?? '') !== undefined ? { key, operator, values } : undefined;
    default:
      return undefined;
  }
}

export interface RawLabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: RawExpression[];
}

/** A LabelSelector: absent selects nothing, `{}` everything. A malformed one selects nothing. */
export function compileLabelSelector(raw: RawLabelSelector | null | undefined): Selector {
  if (raw === undefined || raw === null) return selectNothing;
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(raw.matchLabels ?? {})) requirements.push({ key, operator: 'In', values: [value] });
  for (const expression of raw.matchExpressions ?? []) {
    const requirement = compileExpression(expression);
    if (requirement === undefined || requirement.operator === 'Gt' || requirement.operator === 'Lt') return selectNothing;
    requirements.push(requirement);
  }
  return requirements.length === 0 ? selectEverything : { requirements, nothing: false };
}

/** A plain map of labels, all of which must be present; empty selects everything. */
export function selectorFromMap(map: Record<string, string>): Selector {
  const requirements = Object.entries(map).map(([key, value]): Requirement => ({ key, operator: 'In', values: [value] }));
  return requirements.length === 0 ? selectEverything : { requirements, nothing: false };
}

export function addRequirements(selector: Selector, more: readonly Requirement[]): Selector {
  return selector.nothing || more.length === 0 ? selector : { requirements: [...selector.requirements, ...more], nothing: false };
}

/** One of the ORed terms of a node selector: expressions over labels and over the node's name, all of which must hold. */
export interface NodeSelectorTerm {
  readonly labels: readonly Requirement[];
  readonly fields: readonly Requirement[];
}

export interface RawNodeSelectorTerm {
  matchExpressions?: RawExpression[];
  matchFields?: RawExpression[];
}

/** Undefined for a term that matches no node: an empty one, or one that cannot be parsed. */
export function compileNodeSelectorTerm(raw: RawNodeSelectorTerm): NodeSelectorTerm | undefined {
  const labels: Requirement[] = [];
  const fields: Requirement[] = [];
  for (const expression of raw.matchExpressions ?? []) {
    const requirement = compileExpression(expression);
    if (requirement === undefined) return undefined;
    labels.push(requirement);
  }
  for (const expression of raw.matchFields ?? []) {
    const requirement = compileExpression(expression);
    // Field selectors know one value only, and only equality.
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    if (requirement.operator !== 'In' && requirement.operator !== 'NotIn') return undefined;
    fields.push(requirement);
  }
  return labels.length + fields.length === 0 ? undefined : { labels, fields };
}

export interface NodeIdentity {
  readonly name: string;
  readonly labels: Labels;
}

function fieldMatches(requirement: Requirement, nodeName: string): boolean {
  // Only metadata.name is a field of a node selector; any other has the empty value.
  const value = requirement.key === 'metadata.name' ? nodeName : '';
  return (value === requirement.values[0]) === (requirement.operator === 'In');
}

export function nodeTermMatches(term: NodeSelectorTerm, node: NodeIdentity): boolean {
  for (const requirement of term.labels) if (!requirementMatches(requirement, node.labels)) return false;
  for (const requirement of term.fields) if (!fieldMatches(requirement, node.name)) return false;
  return true;
}

/** Terms are ORed; a selector without a term that could match matches no node. */
export interface NodeSelector {
  readonly terms: readonly NodeSelectorTerm[];
}

export function compileNodeSelector(raw: { nodeSelectorTerms?: RawNodeSelectorTerm[] }): NodeSelector {
  const terms: NodeSelectorTerm[] = [];
  for (const term of raw.nodeSelectorTerms ?? []) {
    const compiled = compileNodeSelectorTerm(term);
    if (compiled !== undefined) terms.push(compiled);
  }
  return { terms };
}

export function nodeSelectorMatches(selector: NodeSelector, node: NodeIdentity): boolean {
  for (const term of selector.terms) if (nodeTermMatches(term, node)) return true;
  return false;
}
