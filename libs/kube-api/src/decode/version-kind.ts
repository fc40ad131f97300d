import type { Json } from '#libs/kernel';
import { goQuote } from '../status';
import { kindOfJson } from './json-kind';

/** What Go says of a body in which it looks in vain for version and kind. */
export function versionKindError(why: string): string {
  return `couldn't get version/kind; json parse error: ${why}`;
}

/** As Go prints the anonymous struct that looks for them. */
const finder = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Of a body that is no object. */
export function noObject(body: Json): string {
  return versionKindError(`json: cannot unmarshal ${kindOfJson(body)} into Go value of type ${finder}`);
}

/** Of a body where one of them is no text. */
export function noText(field: 'apiVersion' | 'kind', value: Json): string {
  return versionKindError(`json: cannot unmarshal ${kindOfJson(value)} into Go struct field .${field} of type string`);
}

/** Of a kind that there is none of. */
export function noKind(kind: string, apiVersion: string): string {
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`;
}
