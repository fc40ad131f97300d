import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition, schemaData } from '../schema';
import { goldenPath, goldenPresent } from '../status/golden-sessions.fixture';
import { definitionSchema, scalarSchemas } from './schemas';

const folder = goldenPath('openapi/v3');
type Loose = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

/** Without words, without what no reader of ours looks at, references unwrapped. */
function facts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(facts);
  if (typeof value !== 'object' || value === null) return value;
  const out: Loose = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === 'description' && typeof item === 'string') continue;
    if (key === 'allOf') out['$ref'] = (item as Loose[])[0]?.['$ref'];
    else out[key] = key === 'required' && Array.isArray(item) ? [...item].sort() : facts(item);
  }
  return out;
}

describe.skipIf(!goldenPresent)('schemas made from the compact data', () => {
  const recorded: Loose = {};
  if (goldenPresent) {
    for (const name of readdirSync(folder)) {
      Object.assign(recorded, (JSON.parse(readFileSync(resolve(folder, name), 'utf8')) as Loose)['components']?.schemas);
    }
  }

  const names = Object.keys(schemaData.definitions);

  it.each(names)('%s says what the recorded one says', (name) => {
    const of = definition(name);
    expect(facts(definitionSchema(of, 'v3'))).toEqual(facts(recorded[of.openApiName]));
  });

  it.each(Object.entries(scalarSchemas('v3')))('%s', (name, schema) => {
    expect(schema).toEqual(facts(recorded[name]));
  });
});
