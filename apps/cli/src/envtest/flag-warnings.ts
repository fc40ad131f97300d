import { allOf, lastOf, type GivenFlags } from './component-flags';

/** Flags whose effect a test may rely on, and that have none here. */
const withoutEffect = new Set([
  'admission-control',
  'aggregator-reject-forwarding-redirect',
  'allow-metric-labels',
  'audit-webhook-config-file',
  'authentication-config',
  'authentication-token-webhook-config-file',
  'authorization-config',
  'authorization-policy-file',
  'authorization-webhook-config-file',
  'default-not-ready-toleration-seconds',
  'default-unreachable-toleration-seconds',
  'egress-selector-config-file',
  'emulated-version',
  'enable-bootstrap-token-auth',
  'encryption-provider-config',
  'event-ttl',
  'feature-gates',
  'oidc-issuer-url',
  'runtime-config',
  'service-node-port-range',
  'tls-sni-cert-key',
]);

/** The range that addresses of Services are taken from, whatever is asked for. */
const serviceRange = '10.0.0.0/24';

/** What was asked for and is not done, a line each. */
export function warningsOf(given: GivenFlags): string[] {
  const warnings: string[] = [];
  for (const flag of given.keys()) if (withoutEffect.has(flag)) warnings.push(`--${flag} changes nothing in kubereel`);
  const range = lastOf(given, 'service-cluster-ip-range');
  if (range !== undefined && range !== serviceRange) warnings.push(`--service-cluster-ip-range=${range}: addresses are of ${serviceRange}`);
  const modes = allOf(given, 'authorization-mode').filter((mode) => mode !== 'RBAC' && mode !== 'Node');
  if (modes.length > 0) warnings.push(`--authorization-mode: access is decided by Node,RBAC, not by ${modes.join(',')}`);
  return warnings;
}
