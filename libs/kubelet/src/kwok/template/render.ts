import { functions, isTrue, textOf, type TemplateFunction } from './functions';
import { parseTemplate, type Expression, type Node } from './parse';
import { TemplateError } from './tokens';

/** Nodes that are filled in for one template, and characters that come of it. */
const stepsMax = 100_000;
const charactersMax = 1_000_000;

const parsed = new Map<string, Node[]>();
const parsedMax = 256;

/**
 * Fills in a template in Go's language.
 * @param data what the dot is at first
 * @param own functions beside Go's own and the usual ones
 * @throws TemplateError
 */
export function render(template: string, data: unknown, own: Readonly<Record<string, TemplateFunction>>): string {
  let nodes = parsed.get(template);
  if (!nodes) {
    if (parsed.size >= parsedMax) parsed.clear();
    nodes = parseTemplate(template.trim());
    parsed.set(template, nodes);
  }
  return new Renderer(own).render(nodes, data);
}

type Scope = Map<string, unknown>[];

class Renderer {
  private steps = 0;
  private out = '';

  constructor(private readonly own: Readonly<Record<string, TemplateFunction>>) {}

  render(nodes: readonly Node[], data: unknown): string {
    this.block(nodes, data, [new Map([['$', data]])]);
    return this.out;
  }

  private block(nodes: readonly Node[], dot: unknown, outer: Scope): void {
    const scope: Scope = [...outer, new Map()];
    for (const node of nodes) this.node(node, dot, scope);
  }

  private node(node: Node, dot: unknown, scope: Scope): void {
    if (++this.steps > stepsMax || this.out.length > charactersMax) throw new TemplateError('goes on for too long');
    switch (node.kind) {
      case 'text':
        this.out += node.text;
        break;
      case 'print':
        this.out += textOf(this.value(node.value, dot, scope));
        break;
      case 'set':
        this.set(node, this.value(node.value, dot, scope), scope);
        break;
      case 'range':
        this.range(node, dot, scope);
        break;
      default: {
        const value = this.value(node.value, dot, scope);
        const inner: Scope = node.name === undefined ? scope : [...scope, new Map([[node.name, value]])];
        if (isTrue(value)) this.block(node.then, node.kind === 'with' ? value : dot, inner);
        else this.block(node.otherwise, dot, scope);
      }
    }
  }

  private set({ name, isNew }: { name: string; isNew: boolean }, value: unknown, scope: Scope): void {
    const found = isNew ? undefined : scope.findLast((each) => each.has(name));
    if (!isNew && !found) throw new TemplateError(`${name} is not known`);
    (found ?? (scope.at(-1) as Scope[number])).set(name, value);
  }

  private range(node: Extract<Node, { kind: 'range' }>, dot: unknown, scope: Scope): void {
    const entries = entriesOf(this.value(node.value, dot, scope));
    if (entries.length === 0) this.block(node.otherwise, dot, scope);
    const [first, second] = node.names;
    for (const [key, item] of entries) {
      const names = new Map<string, unknown>();
      if (second !== undefined) names.set(first as string, key).set(second, item);
      else if (first !== undefined) names.set(first, item);
      this.block(node.then, item, [...scope, names]);
    }
  }

  private value(expression: Expression, dot: unknown, scope: Scope): unknown {
    switch (expression.kind) {
      case 'value':
        return expression.value;
      case 'dot':
        return dot;
      case 'variable': {
        const found = scope.findLast((each) => each.has(expression.name));
        if (!found) throw new TemplateError(`${expression.name} is not known`);
        return found.get(expression.name);
      }
      case 'field':
        return fieldOf(this.value(expression.of, dot, scope), expression.name);
      case 'call': {
        const called = Object.hasOwn(this.own, expression.name) ? this.own[expression.name] : functions.get(expression.name);
        if (!called) throw new TemplateError(`there is no function ${expression.name}`);
        return called(...expression.args.map((each) => this.value(each, dot, scope)));
      }
    }
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.hasOwn(value, name) ? ((value as Record<string, unknown>)[name] ?? null) : null;
}

function entriesOf(value: unknown): [unknown, unknown][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (typeof value === 'number') return Array.from({ length: Math.min(value, stepsMax) }, (_, index) => [index, index]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
