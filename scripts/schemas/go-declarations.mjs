// The type declarations of a Go package, as far as generators of facts need them: structs by their text, other types by what is under them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @returns texts between the braces of all structs, and the types under all other named types, by name */
export async function goDeclarations(folder) {
  const bodies = new Map();
  const named = new Map();
  const names = (await readdir(folder)).filter((name) => name.endsWith('.go') && !/_test\.go$|generated/.test(name));
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, type, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) bodies.set(type, body);
    for (const [, type, under] of text.matchAll(/^type (\w+) (?:= )?([\w[\].*]+)$/gm)) if (under !== 'interface') named.set(type, under);
  }
  return { bodies, named };
}

const taggedField = /^\t(?:(\w+)\s+)?([*\w.[\]]+)\s+`json:"([^"]*)"/;

/** Fields of a struct whose declaration says how it is written as JSON; `inline` fields are those of another struct. */
export function taggedFields(body) {
  const fields = [];
  for (const line of body.split('\n')) {
    const match = taggedField.exec(line);
    if (!match) continue;
    const [, name, goType, tag] = match;
    const [json, ...options] = tag.split(',');
    if (json === '-') continue;
    if (options.includes('inline')) fields.push({ inline: goType });
    else fields.push({ name, json, goType, omitEmpty: options.includes('omitempty'), omitZero: options.includes('omitzero') });
  }
  return fields;
}
