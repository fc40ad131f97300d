import { fieldPathEscapes } from '#libs/cel';
import { entriesOf, propertyOf, valuesOf, type GivenSchema } from './given-schema';

/** Where a simple JSON path leads in a schema, or why it leads nowhere, in upstream's words (`cel.ValidFieldPath`). */
export type FoundPath = { readonly path: string; readonly root: string; readonly schema: GivenSchema } | { readonly problem: string };

class PathError extends Error {}

const noField = 'does not refer to a valid field';

/** The delimiters `.`, `[` and `]`, texts in quotes, and what stands between them. */
function tokensOf(path: string): string[] {
  const tokens: string[] = [];
  for (let rest = path; rest !== ''; rest = rest.slice((tokens.at(-1) as string).length)) {
    const quoted = rest.startsWith("'") ? /^'(?:.*?[^\\])?'/s.exec(rest)?.[0] : undefined;
    const plain = rest.startsWith("'") ? rest : (/^[.[\]]|^[^.[\]]+/.exec(rest)?.[0] as string);
    tokens.push(quoted ?? plain);
  }
  return tokens;
}

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new PathError(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replaceAll(/\\(.)/gs, (escape, letter: string) => {
    const character = fieldPathEscapes[letter];
    if (character === undefined) throw new PathError(`invalid string literal: invalid escape char ${escape}`);
    return character;
  });
}

class Reader {
  private readonly tokens: Iterator<string>;
  path = '';
  root = '';

  constructor(
    path: string,
    private schema: GivenSchema,
    private readonly allowsArrays: boolean,
  ) {
    this.tokens = tokensOf(path)[Symbol.iterator]();
  }

  read(): FoundPath {
    for (let token = this.tokens.next(); !token.done; token = this.tokens.next()) {
      if (token.value === '.') this.enter(this.expected());
      else if (token.value === '[') this.subscript();
      else throw new PathError(`expected [ or . but got: ${token.value}`);
    }
    return { path: this.path, root: this.root, schema: this.schema };
  }

  private expected(): string {
    const token = this.tokens.next();
    if (token.done) throw new PathError('unexpected end of JSON path');
    return token.value;
  }

  private subscript(): void {
    if (!this.allowsArrays) throw new PathError('array notation is not allowed');
    this.enter(unquoted(this.expected()));
    const end = this.expected();
    if (end !== ']') throw new PathError(`expected ] but got ${end}`);
  }

  private enter(name: string): void {
    const { additionalProperties } = this.schema;
    const isNamed = entriesOf(this.schema.properties).length > 0;
    if (!isNamed && (additionalProperties === undefined || additionalProperties === null)) throw new PathError(noField);
    const below = isNamed ? propertyOf(this.schema, name) : (valuesOf(this.schema) ?? {});
    if (!below) throw new PathError(noField);
    if (this.path === '') this.root = name;
    this.path += isNamed ? `${this.path === '' ? '' : '.'}${name}` : `[${name}]`;
    this.schema = below;
  }
}

export function findPath(path: string, schema: GivenSchema, { allowsArrays = true } = {}): FoundPath {
  try {
    return new Reader(path, schema, allowsArrays).read();
  } catch (error) {
    if (error instanceof PathError) return { problem: error.message };
    throw error;
  }
}
