// What a recording's placeholders stand for in the play: names, uids and hashes that were drawn are found out as objects appear.
import { formatTime, isObject, type Json, type JsonObject } from '#libs/kernel';
import type { Moments } from './moments';

/** What a placeholder may stand for. Those without a number are another thing each time. */
const forms: Readonly<Record<string, string>> = {
  uid: '[0-9a-f-]{36}',
  rand: '[a-z0-9]{5}',
  hash: '[a-z0-9]{1,10}',
  minute: '\\d+',
  rv: '\\d+',
  ip: '[0-9a-f.:]+',
  pem: '[^]+',
  data: '[^]*',
};
const token = /<(uid|rand|hash|minute|rv|ip|pem|data)(?::\d+)?>/g;

export class Bindings {
  private readonly actual = new Map<string, string>();
  private readonly literals = new Map<string, string>();

  constructor(readonly moments: Moments) {}

  /** A text of the recording in the play's words, as far as they are known. */
  resolveText(text: string): string {
    const moment = this.moments.of(text);
    if (moment !== undefined) return formatTime(moment);
    return this.literals.get(text) ?? text.replace(token, (found) => this.actual.get(found) ?? found);
  }

  resolve<T extends Json | undefined>(value: T): T {
    if (typeof value === 'string') return this.resolveText(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)) as T;
    if (!isObject(value)) return value;
    const entries = Object.entries(value as JsonObject);
    return Object.fromEntries(entries.map(([key, item]) => [this.resolveText(key), this.resolve(item as Json)])) as T;
  }

  /** What the placeholders of a recorded text are in a text of the play; undefined: it cannot be that text. */
  match(recorded: string, played: string, tentative?: ReadonlyMap<string, string>): Map<string, string> | undefined {
    // A request named what is nowhere to be seen.
    if (recorded === played) return new Map();
    const literal = this.literals.get(recorded);
    if (literal !== undefined) return literal === played ? new Map() : undefined;
    const names: string[] = [];
    let form = '';
    let end = 0;
    for (const found of recorded.matchAll(token)) {
      const [whole, kind = ''] = found;
      form += escaped(recorded.slice(end, found.index));
      end = found.index + whole.length;
      const known = this.actual.get(whole) ?? tentative?.get(whole);
      if (known !== undefined) form += escaped(known);
      else if (names.includes(whole)) form += `\\${names.indexOf(whole) + 1}`;
      else {
        form += `(${forms[kind]})`;
        names.push(whole);
      }
    }
    const match = new RegExp(`^${form}${escaped(recorded.slice(end))}$`).exec(played);
    if (!match) return undefined;
    const isNumbered = (name: string): boolean => name.includes(':');
    return new Map(names.flatMap((name, index) => (isNumbered(name) ? [[name, match[index + 1] as string]] : [])));
  }

  learn(found: ReadonlyMap<string, string>): void {
    for (const [name, actual] of found) if (!this.actual.has(name)) this.actual.set(name, actual);
  }

  /** Whether a placeholder stands for it already. */
  isTaken(actual: string): boolean {
    return [...this.actual.values()].includes(actual);
  }

  /** Two names change places, with what else is drawn for each. */
  swap(one: readonly string[], other: readonly string[]): void {
    one.forEach((name, index) => {
      const partner = other[index];
      if (partner === undefined || name === partner) return;
      const [a, b] = [this.actual.get(name), this.actual.get(partner)];
      if (a === undefined || b === undefined) return;
      this.actual.set(name, b);
      this.actual.set(partner, a);
    });
  }

  /** Two literal values change places: addresses of pods, nodes that are alike. */
  exchange(one: string | undefined, other: string | undefined): void {
    if (one === undefined || other === undefined || one === other) return;
    const [a, b] = [this.literals.get(one) ?? one, this.literals.get(other) ?? other];
    this.literals.set(one, b);
    this.literals.set(other, a);
  }

  /** The placeholders in a text, in order. */
  static tokensIn(text: string): string[] {
    return [...text.matchAll(token)].map(([whole]) => whole);
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
