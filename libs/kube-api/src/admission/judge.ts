import type { KubeObject } from '#libs/kernel';
import { isFailure } from '../status';
import { judge, type Admission, type Admitted } from './chain';
import { validateByPolicies } from './policies/validating';
import { concernedSteps } from './steps';
import { validateByWebhooks } from './webhooks';

/** A request as policies and webhooks see it, where that is not how the steps of the server see it (a Scale). */
export interface Shown {
  readonly object: KubeObject | undefined;
  readonly admission: Admission;
}

/** The phases that judge: the server's own steps, the cluster's policies, its validating webhooks; and whoever charges, last of all. */
export function judgeAll(object: KubeObject, admission: Admission, shown: Shown = { object, admission }): Admitted {
  const steps = concernedSteps(admission);
  const own = judge('validate', steps.validate, object, admission);
  if (own.kind !== 'admitted') return own;
  const outside = judgedByUsers(shown);
  if (outside.kind !== 'admitted') return outside;
  return judge('charge', steps.charge, object, admission);
}

/** What the cluster's users have configured: policies, and then webhooks, which are called only about what policies admit. */
export function judgedByUsers({ object, admission }: Shown): Admitted {
  const judged = validateByPolicies(object, admission);
  return isFailure(judged) ? { kind: 'refused', status: judged } : validateByWebhooks(object, admission);
}
