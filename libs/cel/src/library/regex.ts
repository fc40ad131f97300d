import type { RE2JS } from 're2js';
import { define, member, type FunctionDecl } from '../types/functions';
import { intType, listOf, stringType } from '../types/type';
import { ArrayList, EvaluationError } from '../values/value';

/** Loaded with the first pattern: it takes longer to load than all else that a start needs of this library. */
let engine: typeof RE2JS | undefined;

function loadEngine(): typeof RE2JS {
  return (engine ??= (require('re2js') as { RE2JS: typeof RE2JS }).RE2JS);
}

const kept = new Map<string, RE2JS>();
const keptMax = 1_000;

/** Go's regular expressions: another grammar than JavaScript's, and no input takes more than its length. @throws EvaluationError */
export function compiledRegex(pattern: string): RE2JS {
  let regex = kept.get(pattern);
  if (!regex) {
    try {
      regex = loadEngine().compile(pattern);
    } catch (error) {
      throw new EvaluationError((error as Error).message);
    }
    if (kept.size >= keptMax) kept.clear();
    kept.set(pattern, regex);
  }
  return regex;
}

function* matchesOf(text: string, pattern: string): Generator<string> {
  const matcher = illegal(pattern).matcher(text);
  while (matcher.find()) yield matcher.group() as string;
}

function illegal(pattern: string): RE2JS {
  try {
    return compiledRegex(pattern);
  } catch (error) {
    throw new EvaluationError(`Illegal regex: ${(error as Error).message}`);
  }
}

/** @param most so many at most; below 0: all */
function findAll(text: string, pattern: string, most = -1n): ArrayList {
  const found: string[] = [];
  for (const match of matchesOf(text, pattern)) {
    if (most >= 0n && found.length >= most) break;
    found.push(match);
  }
  return new ArrayList(found);
}

export const regexFunctions: readonly FunctionDecl[] = [
  define(
    'find',
    member('string_find_string', [stringType, stringType], stringType, (text: string, pattern: string) => {
      const first = matchesOf(text, pattern).next();
      return first.done === true ? '' : first.value;
    }),
  ),
  define(
    'findAll',
    member('string_find_all_string', [stringType, stringType], listOf(stringType), findAll),
    member('string_find_all_string_int', [stringType, stringType, intType], listOf(stringType), findAll),
  ),
];
