import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { CliError } from '../cli-error';

/**
 * A file of YAML or JSON, as upstream's own components read their configuration: yes and on are true.
 * @param flag that names the file, for what is said when it cannot be read
 */
export function readYaml(path: string, flag: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${flag}: ${(error as Error).message}`, undefined, 2);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.1', lineCounter: lines });
  const broken = document.errors[0];
  if (broken) throw new CliError(`${path}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`, undefined, 2);
  return document.toJS({ maxAliasCount: 1_000 });
}
