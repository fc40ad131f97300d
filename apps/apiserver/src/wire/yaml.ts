import { isObject } from '#libs/kernel';
import { stringify } from 'yaml';

/** JSON text as YAML in the manner of upstream's library: keys sorted, lists not indented, quotes where YAML 1.1 wants them. */
export function yamlOf(json: string): string {
  return stringify(sorted(JSON.parse(json)), { version: '1.1', indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return new Map(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
