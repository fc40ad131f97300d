import { fact, type Fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { answerTo, asked, type NeededReview, type ReviewAnswer } from '../admission/review';
import { withoutTimes } from '../admission/webhooks';
import { nameOf, type ConversionCall, type Converted } from './conversion-review';
import { keptMetadata, metadataOf } from './metadata';
import { ConversionFailed, ConversionNeeded, type Convert } from './needed';

/** The question of a write to a conversion webhook, with the object: from it the write can be made again. */
export function conversionQuestion(call: ConversionCall): NeededReview & { readonly call: ConversionCall } {
  const { object, desiredAPIVersion, clientConfig } = call;
  const { url, service } = clientConfig;
  const { namespace, name } = metadataOf(object) as { namespace?: string; name?: string };
  return {
    phase: 'mutate',
    reviewer: nameOf(call),
    stream: 'admission-reviews',
    ...asked(
      fact('ConversionAsked', {
        kind: object['kind'] as string,
        apiVersion: object['apiVersion'] as string,
        desiredAPIVersion,
        ...(url === undefined ? {} : { url }),
        ...(service === undefined ? {} : { service: { ...service } }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
        object: withoutTimes(object),
      }),
    ),
    isAnswer: ({ type }) => type === 'ConversionAnswered',
    call,
  };
}

/** The record of what a conversion webhook has answered: the object without the metadata that it has kept. */
export function conversionAnswered(review: string, { question }: NeededReview, converted: Converted): Fact {
  return fact('ConversionAnswered', {
    review,
    question,
    outcome: 'error' in converted ? { ...converted } : { object: changeable(converted.object) },
  });
}

/** Takes what has been answered so far, and asks for what has not. */
export function convertByAnswers(answers: readonly ReviewAnswer[]): Convert {
  return (call) => {
    const answer = answerTo(conversionQuestion(call), answers);
    if (!answer) throw new ConversionNeeded(call);
    return convertedBy(call, answer.data['outcome'] as JsonObject);
  };
}

/** The object by what is recorded of an answer. @throws ConversionFailed */
export function convertedBy({ object: original }: ConversionCall, outcome: JsonObject): JsonObject {
  if (typeof outcome['error'] === 'string') throw new ConversionFailed(outcome['error']);
  const object = outcome['object'] as JsonObject;
  return { ...object, metadata: { ...keptMetadata(metadataOf(original)), ...metadataOf(object) } };
}

function changeable(object: JsonObject): JsonObject {
  const { labels, annotations } = metadataOf(object);
  return { ...object, metadata: { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) } };
}
