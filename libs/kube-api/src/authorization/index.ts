export { isOfResource, isPrivileged, type Attributes, type PathAttributes, type ResourceAttributes, type User } from './attributes';
export {
  privileged,
  union,
  type Access,
  type Authorization,
  type Authorizer,
  type KnownRules,
  type Requester,
  type RoleRef,
  type RuleResolver,
} from './authorizer';
export { clusterAccess } from './cluster-access';
export { forbiddenBy, withoutMarkup } from './forbidden';
export * from './policy';
export * from './node';
export * from './rbac';
export { serviceAccountGroups, serviceAccountOf, serviceAccountUser } from './service-account-user';
