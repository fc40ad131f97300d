import { isDeepStrictEqual } from 'node:util';

type Loose = Record<string, unknown>;

/** An OpenAPI v2 document, as far as merging looks at it. */
export interface Swagger extends Loose {
  paths?: Record<string, unknown>;
  definitions?: Record<string, Loose>;
  parameters?: Record<string, unknown>;
}

/** The document of another server, and which paths of it count. */
export interface OtherSwagger {
  readonly document: Swagger;
  /** `/apis/GROUP/VERSION/` */
  readonly prefix: string;
}

const kindsKey = 'x-kubernetes-group-version-kind';
const definitionsRoot = '#/definitions/';
const parametersRoot = '#/parameters/';

/**
 * The documents of all servers in one (upstream: `MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters`): whoever comes first has a path; what goes by the
 * same name and is something else gets another one.
 */
export function mergedSwagger(own: Swagger, others: readonly OtherSwagger[]): Swagger {
  const merged: Swagger = { ...own, paths: { ...own.paths }, definitions: { ...own.definitions } };
  if (own.parameters) merged.parameters = { ...own.parameters };
  for (const { document, prefix } of others)
    take(
      merged,
      narrowed(document, (path) => path.startsWith(prefix) && !Object.hasOwn(merged.paths ?? {}, path)),
    );
  return merged;
}

/** Without the other paths, and without the definitions that only these have used. */
function narrowed(document: Swagger, keeps: (path: string) => boolean): Swagger {
  const paths = Object.fromEntries(Object.entries(document.paths ?? {}).filter(([path]) => keeps(path)));
  const before = usedDefinitions(document, document.paths);
  const after = usedDefinitions(document, paths);
  const definitions = Object.entries(document.definitions ?? {}).filter(([name]) => after.has(name) || !before.has(name));
  return { ...document, paths, definitions: Object.fromEntries(definitions) };
}

function usedDefinitions({ definitions = {}, parameters }: Swagger, paths: unknown): Set<string> {
  const used = new Set<string>();
  const waiting: unknown[] = [paths, parameters];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const { $ref } = value as Loose;
    if (typeof $ref === 'string' && $ref.startsWith(definitionsRoot)) {
      const name = $ref.slice(definitionsRoot.length);
      if (!used.has(name) && Object.hasOwn(definitions, name)) waiting.push(definitions[name]);
      used.add(name);
    }
    for (const each of Object.values(value)) waiting.push(each);
  }
  return used;
}

function take(merged: Swagger, other: Swagger): void {
  if (Object.keys(other.paths ?? {}).length === 0) return;
  const { definitions: known = {} } = merged;
  const renamed = new Map<string, string>();
  const rename = (root: string, names: ReadonlyMap<string, string>): void => {
    for (const [from, to] of names) renamed.set(`${root}${from}`, `${root}${to}`);
  };
  const newDefinitions = newNames(known, other.definitions ?? {}, isSameDefinition);
  const newParameters = newNames(merged.parameters ?? {}, other.parameters ?? {}, isDeepStrictEqual);
  rename(definitionsRoot, newDefinitions);
  rename(parametersRoot, newParameters);
  for (const [path, item] of Object.entries(other.paths ?? {})) (merged.paths ??= {})[path] = withRefs(item, renamed);
  for (const [name, definition] of Object.entries(other.definitions ?? {})) {
    const called = newDefinitions.get(name) ?? name;
    const present = known[called];
    known[called] = present ? withKinds(present, definition) : (withRefs(definition, renamed) as Loose);
  }
  merged.definitions = known;
  for (const [name, parameter] of Object.entries(other.parameters ?? {}))
    (merged.parameters ??= {})[newParameters.get(name) ?? name] ??= withRefs(parameter, renamed);
}

/** Names for what goes by a name that something else has already. */
function newNames<T>(known: Record<string, T>, added: Record<string, T>, isSame: (one: T, other: T) => boolean): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(Object.keys(known));
  for (const [name, value] of Object.entries(added)) {
    if (!Object.hasOwn(known, name) || isSame(known[name] as T, value)) continue;
    let number = 2;
    const called = (): string => `${name}_v${number}`;
    while (Object.hasOwn(known, called()) && !isSame(known[called()] as T, value)) number++;
    if (!Object.hasOwn(known, called())) while (taken.has(called()) || Object.hasOwn(added, called())) number++;
    names.set(name, called());
    taken.add(called());
  }
  return names;
}

/** The kinds that a definition is for are no part of it. */
function isSameDefinition({ [kindsKey]: _one, ...definition }: Loose, { [kindsKey]: _other, ...other }: Loose): boolean {
  return isDeepStrictEqual(definition, other);
}

function withKinds(definition: Loose, other: Loose): Loose {
  const kinds = (definition[kindsKey] ?? []) as unknown[];
  const more = ((other[kindsKey] ?? []) as unknown[]).filter((kind) => !kinds.some((each) => isDeepStrictEqual(each, kind)));
  return more.length === 0 ? definition : { ...definition, [kindsKey]: [...kinds, ...more] };
}

function withRefs(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (renamed.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withRefs(each, renamed));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string' ? (renamed.get(each) ?? each) : withRefs(each, renamed),
    ]),
  );
}
