import type { KubeObject } from '#libs/kernel';
import { ConversionFailed, plainError, type ConversionCall, type Failure, type ResourceKind } from '#libs/kube-api';
import type { ClusterView } from '../serving/cluster-view';
import { neededFor, showAs } from '../wire/object-json';

/** Conversions that are asked for at once. */
const askedAtOnce = 25;

/**
 * Has those of the objects converted that a webhook has to convert before they can be shown in this version; each is asked for once, as long as
 * the object and the definition are what they are. The refusal is that of the API server, where one of them cannot be shown.
 */
export async function converted(view: ClusterView, kind: ResourceKind, objects: readonly KubeObject[]): Promise<Failure | undefined> {
  if (!kind.form?.webhook) return undefined;
  try {
    const calls = objects.flatMap((object) => {
      const call = neededFor(kind, object);
      return call ? [{ object, call }] : [];
    });
    for (let at = 0; at < calls.length; at += askedAtOnce)
      await Promise.all(calls.slice(at, at + askedAtOnce).map(({ object, call }) => convertOne(view, kind, object, call)));
    return undefined;
  } catch (error) {
    if (error instanceof ConversionFailed) return plainError(error.message) as Failure;
    throw error;
  }
}

async function convertOne(view: ClusterView, kind: ResourceKind, object: KubeObject, call: ConversionCall): Promise<void> {
  const answer = await view.convert(call);
  if ('error' in answer) throw new ConversionFailed(answer.error);
  showAs(kind, object, answer.object);
}
