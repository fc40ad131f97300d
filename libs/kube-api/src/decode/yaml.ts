import { Composer, isMap, isScalar, Parser, visit } from 'yaml';
import type { Document, Tags } from 'yaml';
import type { Json } from '#libs/kernel';
import { goQuote } from '../status';
import { parseJson, plainNumbers } from './go-json';
import { noDeeperThanAllowed, TooDeep, yamlRefusal } from './yaml-bounds';

/**
 * YAML as the API reads it: version 1.1 (`0644` is 420, `yes` is true), without timestamps and base-60 numbers, the first
 * document only. A key given twice is no error in itself; strict decoding reports it.
 */
export interface ParsedYaml {
  readonly value: Json;
  /** Upstream's text for duplicate keys, absent where there are none. */
  readonly duplicates?: string;
  readonly error?: undefined;
}
export interface BrokenYaml {
  readonly error: string;
  readonly value?: undefined;
}

const leftOut = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:set',
  'tag:yaml.org,2002:pairs',
]);
const customTags = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && (tag as { format?: string }).format !== 'TIME'));

const failed = 'error converting YAML to JSON: yaml:';

/** The first document as JSON, or upstream's error text. What is JSON is read as such, which is faster. */
export function parseYaml(text: string): ParsedYaml | BrokenYaml {
  // Most of what comes as YAML is JSON: server-side apply of kubectl.
  if (/^\s*\{/.test(text)) {
    const parsed = parseJson(text);
    if (parsed.error === undefined && !parsed.duplicates) return { value: plainNumbers(parsed.value) };
    if (parsed.error === 'exceeded max depth') return { error: `${failed} ${parsed.error}` };
  }
  const refusal = yamlRefusal(text);
  if (refusal !== undefined) return { error: `${failed} ${refusal}` };
  try {
    const document = firstDocument(text);
    const broken = document.errors.find((error) => error.code !== 'MULTIPLE_DOCS');
    if (broken) return { error: `${failed} line ${lineAt(text, broken.pos[0])}: ${broken.message.toLowerCase()}` };
    const half = halfCharacter(document, text);
    if (half !== undefined) return { error: `${failed} line ${half}: found invalid Unicode character escape code` };
    const repeated = repeatedKeys(document, text);
    const value = (document.toJS({ maxAliasCount: 100 }) ?? null) as Json;
    return repeated.length === 0 ? { value } : { value, duplicates: `${failed} unmarshal errors:\n${repeated.join('\n')}` };
  } catch (error) {
    if (error instanceof TooDeep || error instanceof RangeError) return { error: `${failed} exceeded max depth` };
    if (error instanceof ReferenceError) return { error: `${failed} document contains excessive aliasing` };
    if (error instanceof Error && error.message.startsWith('Merge sources'))
      return { error: `${failed} map merge requires map or sequence of maps as the value` };
    throw error;
  }
}

/**
 * The parser has no stack of its own to lose, the composer has: what the one found is measured before the other takes it. Errors are
 * not made pretty, which costs the text's length for each of them; there may be as many.
 */
function firstDocument(text: string): Document {
  const composer = new Composer({ version: '1.1', customTags, uniqueKeys: false, logLevel: 'silent', prettyErrors: false });
  const [document] = composer.compose(noDeeperThanAllowed(new Parser().parse(text)), true, text.length);
  return document as Document;
}

/** An escape at a time, so that the backslash of one is not taken for the beginning of the next. */
const escape = /\\(u[dD][89a-fA-F]|.)/gs;

/** The line of an escape that stands for half a character: JSON makes pairs of them, YAML does not know them. */
function halfCharacter(document: Document, text: string): number | undefined {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return undefined;
  let line: number | undefined;
  visit(document, {
    Scalar(_, { type, range }) {
      if (type !== 'QUOTE_DOUBLE' || !range) return undefined;
      for (const match of text.slice(range[0], range[1]).matchAll(escape)) {
        if ((match[1] as string).length === 1) continue;
        line = lineAt(text, range[0] + match.index);
        return visit.BREAK;
      }
      return undefined;
    },
  });
  return line;
}

/** Repeated keys named in one error. */
const repeatedMax = 100;

/** `  line 7: key "a" already set in map`, one for each. */
function repeatedKeys(document: Document, text: string): string[] {
  const found: string[] = [];
  visit(document, {
    Map(_, map) {
      if (!isMap(map)) return;
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name) && found.length < repeatedMax)
          found.push(`  line ${lineAt(text, key.range?.[0] ?? 0)}: key ${goQuote(name)} already set in map`);
        seen.add(name);
      }
    },
  });
  return found;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
