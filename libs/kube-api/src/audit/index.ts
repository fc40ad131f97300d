/** What is recorded of requests, by a policy (`audit.k8s.io`). */
export * from './policy';
export * from './read-policy';
