import { jsonType, type Answer } from '../http/answer';
import type { DiscoveryHeaders } from './discovery';

const headers = { 'Cache-Control': 'public, max-age=3600' };
const keysPath = '/openid/v1/jwks';
const configurationPath = '/.well-known/openid-configuration';
/** Who issues the tokens of service accounts, by upstream's usual name. */
const issuer = 'https://kubernetes.default.svc.cluster.local';

export const openIdPaths: readonly string[] = [configurationPath, keysPath];

/** How tokens of service accounts could be checked. Nobody is given one here, so there is no key to check one with. Undefined: another path. */
export function openIdAnswer(path: string, { ':authority': authority, host }: DiscoveryHeaders): Answer | undefined {
  if (path === keysPath) return { status: 200, contentType: 'application/jwk-set+json', body: JSON.stringify({ keys: [] }), headers };
  if (path !== configurationPath) return undefined;
  const configuration = {
    issuer,
    jwks_uri: `https://${authority ?? host ?? ''}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [],
  };
  return { status: 200, contentType: jsonType, body: JSON.stringify(configuration), headers };
}
