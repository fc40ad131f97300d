import { stringify } from 'yaml';

/** JSON text as YAML in the manner of upstream's library: keys sorted, lists not indented, quotes where YAML 1.1 wants them. */
export function yamlOf(json: string): string {
  return stringify(JSON.parse(json), {
    version: '1.1',
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    sortMapEntries: true,
  });
}
