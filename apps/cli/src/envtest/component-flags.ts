import { CliError } from '../cli-error';

/** The flags that a component of Kubernetes takes, without their dashes. */
export interface FlagNames {
  /** Their value stands behind `=`, or is true. */
  readonly switches: readonly string[];
  /** Their value stands behind `=`, or is the next word. */
  readonly others: readonly string[];
}

/** What was given, by flag, in order: each flag may come again. */
export type GivenFlags = ReadonlyMap<string, readonly string[]>;

/**
 * Reads flags as the components of Kubernetes do (pflag): `--name=value`, `--name value`, `--switch`; `_` stands for `-`.
 * @throws CliError for a flag that the component does not have, and for a word that is none, as upstream words it
 */
export function readFlags(component: string, { switches, others }: FlagNames, words: readonly string[]): GivenFlags {
  const given = new Map<string, string[]>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (word === '-v') {
      index++;
      continue;
    }
    if (word.startsWith('-v=')) continue;
    if (!word.startsWith('--')) throw new CliError(`${component}: unknown command "${word}" for "${component}"`);
    const [, written = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const name = written.replaceAll('_', '-');
    const isSwitch = switches.includes(name);
    if (!isSwitch && !others.includes(name)) throw new CliError(`${component}: unknown flag: --${written}`);
    const taken = value ?? (isSwitch ? 'true' : words[++index]);
    if (taken === undefined) throw new CliError(`${component}: flag needs an argument: --${written}`);
    const known = given.get(name);
    if (known) known.push(taken);
    else given.set(name, [taken]);
  }
  return given;
}

/** The last value of a flag: it counts. */
export function lastOf(given: GivenFlags, name: string): string | undefined {
  return given.get(name)?.at(-1);
}

/** All values of a flag that takes several, apart from one another by commas or by coming again. */
export function allOf(given: GivenFlags, name: string): string[] {
  return (given.get(name) ?? []).flatMap((value) => value.split(',')).filter((value) => value !== '');
}

/** @throws CliError, as upstream words it, for what is no boolean of Go */
export function switchOf(component: string, given: GivenFlags, name: string): boolean | undefined {
  const value = lastOf(given, name);
  if (value === undefined) return undefined;
  if (/^(1|t|T|true|TRUE|True)$/.test(value)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(value)) return false;
  throw new CliError(
    `${component}: invalid argument "${value}" for "--${name}" flag: strconv.ParseBool: parsing "${value}": invalid syntax`,
  );
}
