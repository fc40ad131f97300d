import { define, member, overload, type FunctionDecl } from '../types/functions';
import { listOf, objectType, optionalOf, stringType } from '../types/type';
import { ArrayList, ExtensionValue, Optional } from '../values/value';

export const formatType = objectType('kubernetes.NamedFormat');

/** What is wrong with a text of this format; empty: nothing. */
export type FormatCheck = (text: string) => readonly string[];

class FormatValue extends ExtensionValue {
  readonly type = formatType;
  constructor(
    readonly name: string,
    readonly check: FormatCheck,
  ) {
    super();
  }
  equals(other: FormatValue): boolean {
    return this.name === other.name;
  }
}

function validate({ check }: FormatValue, text: string): Optional {
  const problems = check(text);
  return problems.length === 0 ? Optional.none : Optional.of(new ArrayList(problems));
}

/** `format.dns1123Label()` and the like. @param checks by name */
export function namedFormats(checks: Readonly<Record<string, FormatCheck>>): readonly FunctionDecl[] {
  const formats = new Map(Object.entries(checks).map(([name, check]) => [name, new FormatValue(name, check)]));
  const found = (name: string): Optional => {
    const format = formats.get(name);
    return format ? Optional.of(format) : Optional.none;
  };
  return [
    ...Array.from(formats, ([name, format]) =>
      define(
        `format.${name}`,
        overload(`format.${name}`, [], formatType, () => format),
      ),
    ),
    define('format.named', overload('format-named', [stringType], optionalOf(formatType), found)),
    define('validate', member('format-validate', [formatType, stringType], optionalOf(listOf(stringType)), validate)),
  ];
}
