import { jwkOf, type VerificationKey } from '#libs/kube-api/tokens';
import { jsonType, type Answer } from '../http/answer';
import type { DiscoveryHeaders } from './discovery';

const headers = { 'Cache-Control': 'public, max-age=3600' };
const keysPath = '/openid/v1/jwks';
const configurationPath = '/.well-known/openid-configuration';

export const openIdPaths: readonly string[] = [configurationPath, keysPath];

/** Who issues tokens here, and with which keys they are checked. */
export interface TokenIssuer {
  readonly issuer: string;
  verificationKeys(): Promise<readonly VerificationKey[]>;
}

/** How others check the tokens of service accounts. Undefined: another path. */
export async function openIdAnswer(
  path: string,
  { ':authority': authority, host }: DiscoveryHeaders,
  tokens: TokenIssuer,
): Promise<Answer | undefined> {
  if (path !== keysPath && path !== configurationPath) return undefined;
  const keys = (await tokens.verificationKeys()).map(jwkOf);
  if (path === keysPath) return { status: 200, contentType: 'application/jwk-set+json', body: JSON.stringify({ keys }), headers };
  const configuration = {
    issuer: tokens.issuer,
    jwks_uri: `https://${authority ?? host ?? ''}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
  };
  return { status: 200, contentType: jsonType, body: JSON.stringify(configuration), headers };
}
