import type { KindDescription } from '../behaviour';
import { validateAccessReview, type AccessReview } from './access';

export { fieldRequirementsOf, selectorProblem, validateAccessReview, type AccessReview } from './access';

const accessReview = (name: string, type: AccessReview): KindDescription => ({
  name: `${name}.authorization.k8s.io`,
  served: true,
  formerVersions: ['authorization.k8s.io/v1beta1'],
  validation: { create: (review, errors) => validateAccessReview(type, review, errors), update: () => undefined },
});

const plainReview = (name: string): KindDescription => ({ name, served: true });

/** Questions about who somebody is and what he may do: answered, never stored. */
export const reviewKinds: readonly KindDescription[] = [
  accessReview('subjectaccessreviews', 'subject'),
  accessReview('selfsubjectaccessreviews', 'self'),
  accessReview('localsubjectaccessreviews', 'local'),
  plainReview('selfsubjectrulesreviews.authorization.k8s.io'),
  plainReview('selfsubjectreviews.authentication.k8s.io'),
  plainReview('tokenreviews.authentication.k8s.io'),
];
