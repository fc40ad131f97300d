import type { JsonObject, KubeObject } from '#libs/kernel';
import { toExactForm, toWireForm } from '../decode';
import type { BodyKind } from '../kinds/resource-kind';
import { setDeclaredDefaults } from './declared';
import { draftOf } from './draft';

/**
 * The object with everything filled in that the API server fills in while reading it: at create, update and patch alike, before
 * admission. Not in here: what create alone sets (status, uid, allocated addresses) and what admission sets (priority, service
 * account, tolerations). Takes and returns wire form; the argument is not changed. Applied twice it changes nothing.
 * @param exact empty lists and maps stay
 */
export function applyDefaults({ schema, setDefaults }: BodyKind, object: KubeObject, exact = false): KubeObject {
  if (!schema && !setDefaults) return object;
  const draft = draftOf(object as unknown as JsonObject) as JsonObject;
  if (!schema) {
    setDefaults?.(draft);
    return draft as unknown as KubeObject;
  }
  setDeclaredDefaults(schema, draft);
  setDefaults?.(draft);
  return (exact ? toExactForm : toWireForm)(schema, draft as unknown as KubeObject);
}
