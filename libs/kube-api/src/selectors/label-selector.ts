import type { LabelOperator, LabelRequirement, Labels } from './label-requirement';
import { labelKeyText, requirementMatches, requirementString, requirementText } from './label-requirement';
import type { Token, TokenKind } from './label-lexer';
import { tokens } from './label-lexer';

/** Conditions on labels, all of which must hold. None: everything matches. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels): boolean;
}

export interface SelectorError {
  readonly error: string;
}

class Requirements implements LabelSelector {
  constructor(readonly requirements: readonly LabelRequirement[]) {}

  matches(labels: Labels): boolean {
    for (const requirement of this.requirements) if (!requirementMatches(requirement, labels)) return false;
    return true;
  }
}

export const everything: LabelSelector = new Requirements([]);

/** What matches no object at all: the selector of an object that has none. */
export const nothing: LabelSelector = { requirements: [], matches: () => false };

export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  return requirements.length === 0 ? everything : new Requirements(requirements);
}

/** Canonical text (Scale's `status.selector`, printed columns): sorted by key. */
export function labelSelectorString(selector: LabelSelector): string {
  return [...selector.requirements]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(requirementString)
    .join(',');
}

class ParseFailure extends Error {}

const binaryOperators: Partial<Record<TokenKind, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

/** Recursive descent over the tokens; where a value may stand, `in` and `notin` are ordinary words. */
class Parser {
  private at = 0;
  private readonly tokens: Token[];

  constructor(text: string) {
    this.tokens = tokens(text);
  }

  private look(): Token {
    const token = this.tokens[this.at] as Token;
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token;
  }

  private take(): Token {
    const token = this.look();
    if (token.kind !== 'end') this.at++;
    return token;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const head = this.look();
      if (head.kind === 'end') return requirements;
      if (head.kind !== 'identifier' && head.kind !== '!') {
        throw new ParseFailure(`found '${head.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.requirement());
      const separator = this.take();
      if (separator.kind === 'end') return requirements;
      if (separator.kind !== ',') throw new ParseFailure(`found '${separator.text}', expected: ',' or 'end of string'`);
      const next = this.look();
      if (next.kind !== 'identifier' && next.kind !== '!') {
        throw new ParseFailure(`found '${next.text}', expected: identifier after ','`);
      }
    }
  }

  private requirement(): LabelRequirement {
    const fail = (text: string): never => {
      throw new ParseFailure(`unable to parse requirement: ${text}`);
    };
    let token = this.take();
    const negated = token.kind === '!';
    if (negated) token = this.take();
    if (token.kind !== 'identifier') fail(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const keyText = labelKeyText(key);
    if (keyText !== undefined) fail(keyText);
    if (negated) return { key, operator: '!', values: [] };
    const after = this.look().kind;
    if (after === 'end' || after === ',') return { key, operator: 'exists', values: [] };
    const operatorToken = this.tokens[this.at] as Token;
    this.at++;
    const operator = binaryOperators[operatorToken.kind];
    if (operator === undefined) return fail(`found '${operatorToken.text}', expected: in, notin, =, ==, !=, gt, lt`);
    const values = operator === 'in' || operator === 'notin' ? this.valueList(fail) : this.singleValue(fail);
    const requirement = { key, operator, values: [...new Set(values)].sort() };
    const text = requirementText(requirement);
    return text === undefined ? requirement : fail(text);
  }

  private singleValue(fail: (text: string) => never): string[] {
    const next = this.look();
    if (next.kind === 'end' || next.kind === ',') return [''];
    const token = this.take();
    return token.kind === 'identifier' ? [token.text] : fail(`found '${token.text}', expected: identifier`);
  }

  private valueList(fail: (text: string) => never): string[] {
    const open = this.take();
    if (open.kind !== '(') fail(`found '${open.text}' expected: '('`);
    const first = this.look();
    if (first.kind === ')') {
      this.take();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',') fail(`found '${first.text}', expected: ',', ')' or identifier`);
    const values: string[] = [];
    for (;;) {
      const token = this.take();
      if (token.kind === 'identifier') {
        values.push(token.text);
        const next = this.look();
        if (next.kind === ',') continue;
        if (next.kind !== ')') fail(`found '${next.text}', expected: ',' or ')'`);
        break;
      }
      if (token.kind !== ',') fail(`found '${token.text}', expected: ',', or identifier`);
      if (values.length === 0) values.push('');
      const next = this.look();
      if (next.kind === ')') {
        values.push('');
        break;
      }
      if (next.kind === ',') {
        this.take();
        values.push('');
      }
    }
    this.take();
    return values;
  }
}

/** A `labelSelector` query parameter, compiled; the error text is what the 400 says. */
export function parseLabelSelector(text: string): LabelSelector | SelectorError {
  if (text === '') return everything;
  try {
    return labelSelectorOf(new Parser(text).parse());
  } catch (failure) {
    if (failure instanceof ParseFailure) return { error: failure.message };
    throw failure;
  }
}

export function isSelectorError<T extends object>(parsed: T | SelectorError): parsed is SelectorError {
  return 'error' in parsed;
}
