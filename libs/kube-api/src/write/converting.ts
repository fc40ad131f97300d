import { ConversionFailed, ConversionNeeded, conversionQuestion, convertByAnswers } from '../conversion';
import { definitionResource } from '../custom-resources/objects/follow';
import { kindsConverting } from '../custom-resources/objects/kinds-of-definition';
import { kindsOf } from '../kinds';
import { plainError } from '../status';
import type { Prepared, StateView, WriteContext, WriteRequest } from './request';

/**
 * Prepares a write of a custom kind that a webhook converts: with what it has answered so far, until there is something else to be asked. The
 * kinds of this write convert by those answers, and by nothing else.
 */
export function converting(
  state: StateView,
  request: WriteRequest,
  { reviews = [] }: WriteContext,
  prepare: (state: StateView) => Prepared,
): Prepared {
  const resource = 'target' in request ? request.target.resource : request.resource;
  const kinds = kindsOf(state);
  const kind = kinds.findGroupResource(resource);
  const definition = kind?.form?.webhook && state.get(definitionResource, undefined, kind.groupResource);
  if (!definition) return prepare(state);
  const own = kinds.replacing(kindsConverting(definition, convertByAnswers(reviews)));
  try {
    return prepare({
      cluster: state.cluster,
      position: state.position,
      kinds: own,
      admission: state.admission,
      get: (other, namespace, name) => state.get(other, namespace, name),
      byKey: (other, key) => state.byKey(other, key),
      list: (other, namespace) => state.list(other, namespace),
      head: (stream) => state.head(stream),
    });
  } catch (error) {
    if (error instanceof ConversionNeeded) return { kind: 'review', reviews: [conversionQuestion(error.call)] };
    if (error instanceof ConversionFailed) return { kind: 'refused', status: plainError(error.message) };
    throw error;
  }
}
