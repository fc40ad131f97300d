import { namespaceObjectController } from './namespace-object';

/** ServiceAccount `default` in every active namespace (upstream serviceaccounts controller). */
export const serviceAccountController = namespaceObjectController({
  controller: 'serviceaccount-controller',
  resource: 'serviceaccounts',
  name: 'default',
  object: { apiVersion: 'v1', kind: 'ServiceAccount' },
  config: {},
});
