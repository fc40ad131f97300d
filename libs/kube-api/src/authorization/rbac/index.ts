export { refuseEscalation, type GrantingWrite } from './escalation';
export { pathMatches, type PolicyRule } from './policy-rule';
export { missingRolesText } from './problems';
export { RbacAuthorizer } from './rbac-authorizer';
export { RbacObjects } from './rbac-objects';
