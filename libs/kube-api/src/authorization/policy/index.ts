export { policyObjects, type AggregationRule, type PolicyObject, type Role } from './read-policy';
export { reconciled as reconciledPolicyObject } from './reconciled';
