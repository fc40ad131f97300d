/** A step of a path: a field, every item of a list, or only what has a field of this value. */
type QueryStep = { field: string } | { each: true } | { select: readonly QueryStep[]; equals: boolean; value: string };

/** A query cannot be read: it is none of the forms that are understood. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

const partGrammar =
  /^\s*(?:select\(\s*(?<path>[^=!]*?)\s*(?<sign>==|!=)\s*(?<value>"(?:[^"\\]|\\.)*"|true|false|-?\d+)\s*\)|(?<plain>\..*?))\s*$/s;
const pathGrammar = /\.?\[\s*\]|\.?\[\s*("(?:[^"\\]|\\.)*")\s*\]|\.([A-Za-z_][\w-]*)|\.(?=$)/y;

const read = new Map<string, readonly QueryStep[]>();
const readMax = 1_024;

/**
 * What a query of jq's form finds in an object: `.status.phase`, `.metadata.labels["a.b/c"]`, `.status.conditions.[].type`,
 * `.status.conditions.[] | select( .type == "Ready" ) | .status`. What is absent is left out.
 * @throws QueryError
 */
export function found(query: string, data: unknown): unknown[] {
  let steps = read.get(query);
  if (!steps) {
    if (read.size >= readMax) read.clear();
    steps = query.split('|').flatMap(partOf);
    read.set(query, steps);
  }
  return apply(steps, [data]);
}

function apply(steps: readonly QueryStep[], data: readonly unknown[]): unknown[] {
  return steps
    .reduce<unknown[]>((values, step) => values.flatMap((value) => take(step, value)), [...data])
    .filter((value) => value !== null && value !== undefined);
}

function take(step: QueryStep, value: unknown): unknown[] {
  if ('select' in step) return apply(step.select, [value]).some((each) => String(each) === step.value) === step.equals ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if ('each' in step) return Object.values(value);
  return !Array.isArray(value) && Object.hasOwn(value, step.field) ? [(value as Record<string, unknown>)[step.field]] : [];
}

function partOf(part: string): QueryStep[] {
  const { path, sign, value, plain } = partGrammar.exec(part)?.groups ?? {};
  if (plain !== undefined) return pathOf(plain);
  if (path === undefined || value === undefined) throw new QueryError(`${part.trim()} is not understood`);
  return [{ select: pathOf(path), equals: sign === '==', value: value.startsWith('"') ? (JSON.parse(value) as string) : value }];
}

function pathOf(path: string): QueryStep[] {
  const steps: QueryStep[] = [];
  pathGrammar.lastIndex = 0;
  while (pathGrammar.lastIndex < path.length) {
    const match = pathGrammar.exec(path);
    if (!match || match[0] === '') {
      if (match && path === '.') break;
      throw new QueryError(`${path} is not understood`);
    }
    const [all, key, name] = match;
    if (key !== undefined) steps.push({ field: JSON.parse(key) as string });
    else if (name !== undefined) steps.push({ field: name });
    else if (all !== '.') steps.push({ each: true });
  }
  return steps;
}
