/** Calls to servers outside. A door of its own: only who calls them loads it. */
export { webhookCaller } from './call-webhooks';
export { goNetworkError } from './go-errors';
export { BackendConnections, type Backend, type ClientIdentity } from './backend-connections';
