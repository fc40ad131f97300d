import type { KubeObject } from '#libs/kernel';
import { forbiddenRequest } from '../../status';
import type { Admission, OwnStep } from '../chain';
import { requestedName } from '../namespace-lifecycle';
import { claimViolations, joinedViolations, podViolations } from './constraints';
import { withDefaultResources } from './defaults';

const name = 'LimitRanger';

/** What is on its way out is left alone. */
function isLimited({ kind, operation, subresource, old }: Admission): boolean {
  if (old?.metadata.deletionTimestamp !== undefined) return false;
  if (kind.groupResource === 'pods') return operation === 'CREATE' ? subresource === undefined : subresource === 'resize';
  return kind.groupResource === 'persistentvolumeclaims' && subresource === undefined;
}

function limitRangesOf(object: KubeObject, { lookup }: Admission): readonly KubeObject[] {
  return lookup.limitRanges?.(object.metadata.namespace ?? '') ?? [];
}

/** Containers that ask for nothing get the defaults of the namespace's LimitRanges. */
export const limitRangerDefaults: OwnStep = {
  name,
  handles: (admission) => admission.kind.groupResource === 'pods' && isLimited(admission),
  admit: (pod, admission) => limitRangesOf(pod, admission).reduce(withDefaultResources, pod),
};

/** What does not fit a LimitRange is refused, in the words of the first that refuses it. */
export const limitRangerConstraints: OwnStep = {
  name,
  handles: isLimited,
  admit: (object, admission) => {
    const { groupResource } = admission.kind;
    const violations = groupResource === 'pods' ? podViolations : claimViolations;
    for (const limitRange of limitRangesOf(object, admission)) {
      const texts = violations(object, limitRange);
      if (texts.length > 0) return forbiddenRequest(groupResource, requestedName(object), joinedViolations(texts));
    }
    return object;
  },
};
