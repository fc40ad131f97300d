import type { PolicyRule } from '../rbac/policy-rule';

const read = ['get', 'list', 'watch'];
const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

/** What every node may do, whatever runs on it (upstream `bootstrappolicy.NodeRules`), as far as the authoriser does not look closer. */
export const nodeRules: readonly PolicyRule[] = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews', 'localsubjectaccessreviews'], ['create']),
  rule('', ['services'], read),
  rule('', ['events'], ['create', 'update', 'patch']),
  rule('', ['endpoints'], ['get']),
  rule('certificates.k8s.io', ['certificatesigningrequests'], ['create', ...read]),
  rule('storage.k8s.io', ['csidrivers'], read),
  rule('node.k8s.io', ['runtimeclasses'], read),
];
