export { NodeAuthorizer, type NodeObjects } from './node-authorizer';
export { nodeOf } from './node-identity';
export { claimsOf, referencesOf } from './pod-references';
