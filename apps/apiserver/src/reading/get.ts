import { objectKey, type KubeObject } from '#libs/kernel';
import { isFailure, noScaleOf, notFound, plainError, resourceVersionTooLarge, type Failure } from '#libs/kube-api';
import type { Answer } from '../http/answer';
import { answerOf, oneAnswer, presentScale, readIncludeObject } from '../wire/representation';
import { viewOf } from '../wire/object-json';
import { converted } from './converted';
import { parseVersion } from './list-options';
import type { ResourceRequest } from './resource-request';

/** GET of one object, or of a subresource that shows it. */
export async function getObject(request: ResourceRequest): Promise<Answer | Failure> {
  const { kind, query, view, negotiated, subresource } = request;
  const stale = versionFailure(query.text('resourceVersion'), view.position);
  if (stale) return stale;
  const object = await findObject(request);
  if (isFailure(object)) return object;
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  if (isFailure(includeObject)) return includeObject;
  const unconverted = await converted(view, kind, [object]);
  if (unconverted) return unconverted;
  const presentation = { negotiated, includeObject, now: view.time };
  const missing = subresource === 'scale' ? noScaleOf(viewOf(kind, object), kind.strategy) : undefined;
  if (missing) return missing;
  if (subresource === 'scale') return answerOf(200, presentScale(kind, object, presentation), negotiated);
  return oneAnswer(200, kind, object, presentation);
}

/** The object that the path names, as of the request's view; 404 where there is none. */
export async function findObject({ kind, namespace, name = '', view }: ResourceRequest): Promise<KubeObject | Failure> {
  const look = await view.look(kind.storage);
  return look().get(objectKey(namespace, name)) ?? notFound(kind.groupResource, name);
}

/** Any version up to the present one is fine: what is shown is not older. */
function versionFailure(text: string, current: number): Failure | undefined {
  if (text === '') return undefined;
  const version = parseVersion(text);
  if ('error' in version) return plainError(version.error);
  return version.value > current ? resourceVersionTooLarge(text, String(current)) : undefined;
}
