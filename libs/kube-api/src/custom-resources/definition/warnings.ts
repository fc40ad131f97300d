import type { KubeObject } from '#libs/kernel';
import { isKnownFormat } from '../schema/formats';
import { forEachSchema } from './given-schema';
import { heldSpec, schemasOf } from './held-spec';
import type { DefinitionSpec } from './types';

/** Formats of texts that nobody checks. */
function unknownFormats({ spec }: KubeObject): string[] {
  const found: string[] = [];
  for (const schema of schemasOf(heldSpec(spec as DefinitionSpec))) {
    forEachSchema(schema, ({ type, format }) => {
      if (type === 'string' && format && !isKnownFormat(format)) found.push(format);
    });
  }
  return found;
}

/** Of an update those are told that were not there before. */
export function warnOfFormats(definition: KubeObject, old: KubeObject | undefined, warnings: string[]): void {
  const known = new Set(old ? unknownFormats(old) : []);
  for (const format of unknownFormats(definition)) if (!known.has(format)) warnings.push(`unrecognized format ${JSON.stringify(format)}`);
}
