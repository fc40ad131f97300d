import { isObject } from '#libs/kernel';
import type { Json } from '#libs/kernel';
import type { RepeatedKeys } from '../decode/repeated-keys';

/** Upstream keeps no more. */
const repeatedMax = 100;

/** `duplicate field "metadata.labels.a"` for every key that an object of the body has more than once. */
export function repeatedFields(body: Json, duplicates: RepeatedKeys): string[] {
  const found = new Set<string>();
  const walk = (value: Json, path: string): void => {
    if (found.size >= repeatedMax) return;
    if (Array.isArray(value)) value.forEach((item, index) => walk(item, `${path}[${index}]`));
    else if (isObject(value)) {
      const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
      for (const key of Object.keys(value)) walk(value[key] as Json, at(key));
      for (const key of duplicates.get(value)?.keys() ?? []) found.add(`duplicate field ${JSON.stringify(at(key))}`);
    }
  };
  walk(body, '');
  return [...found].slice(0, repeatedMax);
}
