import type { JsonObject, KubeObject } from '#libs/kernel';
import { toWireForm } from '../decode';
import { apiVersionOf } from '../kinds';
import { schemaOf } from '../schema';
import type { GroupVersionKind } from '../schema';
import { setDeclaredDefaults } from './declared';
import { draftOf } from './draft';
import { defaultersByKind } from './kinds';

/**
 * The object with everything filled in that the API server fills in while reading it: at create, update and patch alike, before
 * admission. Not in here: what create alone sets (status, uid, allocated addresses) and what admission sets (priority, service
 * account, tolerations). Takes and returns wire form; the argument is not changed. Applied twice it changes nothing.
 */
export function applyDefaults(gvk: GroupVersionKind, object: KubeObject): KubeObject {
  const of = schemaOf(gvk);
  if (!of) return object;
  const draft = draftOf(object as unknown as JsonObject) as JsonObject;
  setDeclaredDefaults(of, draft);
  defaultersByKind.get(`${apiVersionOf(gvk.group, gvk.version)}/${gvk.kind}`)?.(draft);
  return toWireForm(of, draft as unknown as KubeObject);
}
