import type { ResourceKind } from '../../kinds';
import { isFailure, type Failure } from '../../status';
import type { Attributes } from '../attributes';
import { conditionsMet } from '../matching/conditions';
import { matchedIn } from '../matching/match';
import type { ConfiguredWebhook } from './configured';

/** A webhook that is to be called, about the resource in the version that its rules name. */
export interface Invocation extends ConfiguredWebhook {
  readonly matched: ResourceKind;
}

/** Whether a webhook is called about a request (upstream: `ShouldCallHook`). */
export function invocationOf(configured: ConfiguredWebhook, request: Attributes): Invocation | Failure | undefined {
  const { hook } = configured;
  const matched = matchedIn(hook, hook.rules ?? [], request);
  if (!matched || isFailure(matched)) return matched;
  const conditions = hook.matchConditions ?? [];
  const { isPartlyKnown } = request.called.caller;
  if (isPartlyKnown && (conditions.length > 0 || request.equivalents.length > 0)) return undefined;
  if (conditions.length > 0) {
    const met = conditionsMet(conditions, hook.failurePolicy, request, matched);
    if (met === false) return undefined;
    if (met !== true) return request.forbidden(met.error);
  }
  return { ...configured, matched };
}
