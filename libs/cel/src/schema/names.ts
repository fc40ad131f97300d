const keywords = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package',
  'namespace', 'return', 'var', 'void', 'while',
]); // prettier-ignore

const escapes: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };
const unescapes: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** A property's name as expressions write it; undefined: they cannot name it. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (keywords.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (found) => escapes[found] as string);
}

/** The property that an expression names; undefined: none can be meant. */
export function unescapeName(name: string): string | undefined {
  let isGood = true;
  const unescaped = name.replaceAll(/__[^_]+__/g, (found) => {
    const inner = found.slice(2, -2);
    const plain = unescapes[inner];
    if (plain !== undefined) return plain;
    if (keywords.has(inner) && found === name) return inner;
    isGood = false;
    return '';
  });
  return isGood ? unescaped : undefined;
}
