import type { KubeObject } from '#libs/kernel';
import { forbiddenRequest } from '../../status';
import type { Admission, OwnStep, Written } from '../chain';
import { requestedName } from '../namespace-lifecycle';
import { claimViolations, joinedViolations, podViolations } from './constraints';
import { withDefaultResources } from './defaults';

const name = 'LimitRanger';

function isLimited({ kind, operation, subresource }: Written): boolean {
  if (kind.groupResource === 'pods') return operation === 'CREATE' ? subresource === undefined : subresource === 'resize';
  return kind.groupResource === 'persistentvolumeclaims' && subresource === undefined;
}

/** What is on its way out is left alone. */
function limitRangesOf(object: KubeObject, { lookup, old }: Admission): readonly KubeObject[] {
  if (old?.metadata.deletionTimestamp !== undefined) return [];
  return lookup.limitRanges?.(object.metadata.namespace ?? '') ?? [];
}

/** Containers that ask for nothing get the defaults of the namespace's LimitRanges. */
export const limitRangerDefaults: OwnStep = {
  name,
  handles: (written) => written.kind.groupResource === 'pods' && isLimited(written),
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
