import { isQualifiedName } from '../validation/formats';

/** Whether the record of a request takes a key that somebody else has made up: `PREFIX/NAME` (upstream: `checkKeyFormat`). */
export function isAnnotationKey(key: string): boolean {
  return key.split('/').length === 2 && isQualifiedName(key).length === 0;
}
