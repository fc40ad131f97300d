import type { Reconciler } from '#libs/control-loop';
import { approvalOf, conditionOf, isProtectedGroup, saysSo, withDefinitionCondition, type DefinitionFinding } from '#libs/kube-api';
import { definitions, lookingAtEach, statusStep } from './definitions';

const type = 'KubernetesAPIApprovalPolicyConformant';

const found = {
  Approved: { status: 'True', reason: 'ApprovedAnnotation' },
  Bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
  Invalid: { status: 'False', reason: 'InvalidAnnotation' },
  Missing: { status: 'False', reason: 'MissingAnnotation' },
} as const;

/** Says of definitions in groups of the Kubernetes community whether their API has been approved. */
export const apiApprovalController: Reconciler = {
  name: 'crd-api-approval-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  ...lookingAtEach,

  reconcile(cluster, _index, name, { now }) {
    const definition = cluster.get(definitions, undefined, name);
    if (!definition || !isProtectedGroup(definition.spec.group as string)) return undefined;
    const { state, reason: message } = approvalOf(definition);
    const finding: DefinitionFinding = { type, ...found[state], message };
    if (saysSo(conditionOf(definition, type), finding)) return undefined;
    return { steps: [statusStep('approval', withDefinitionCondition(definition, finding, now))] };
  },
};
