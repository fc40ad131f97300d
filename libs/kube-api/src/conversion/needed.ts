import type { JsonObject } from '#libs/kernel';
import type { ConversionCall } from './conversion-review';

/** An object of a custom kind in another of its versions, with metadata; as a webhook of the definition has it. */
export type Convert = (call: ConversionCall) => JsonObject;

/** The other version of an object is not known yet: whoever comes upon it asks, and begins again with the answer. */
export class ConversionNeeded extends Error {
  constructor(readonly call: ConversionCall) {
    super(`${call.from.kind} ${String((call.object['metadata'] as JsonObject)['name'])} is not known in ${call.desiredAPIVersion}`);
  }
}

/** There is no other version of an object; the message says why, as the API server says it. */
export class ConversionFailed extends Error {}

/** Of readers, who ask before they show anything. */
export const convertNothing: Convert = (call) => {
  throw new ConversionNeeded(call);
};
