// Answers about tokens as the recordings tell them: what a token says, and times by those that they follow from.
import type { CaseStep } from './recording';

interface TokenRequest {
  kind?: string;
  metadata?: { creationTimestamp?: string };
  spec?: { expirationSeconds?: number };
  status?: { token?: string; expirationTimestamp?: string };
}

/** An end that is as long after the beginning as was asked for, and so `<time+exp>`. */
export function withRelativeEnd(body: unknown): unknown {
  const { kind, metadata, spec, status } = (body ?? {}) as TokenRequest;
  if (kind !== 'TokenRequest' || !status) return body;
  const ends = Date.parse(metadata?.creationTimestamp ?? '') + (spec?.expirationSeconds ?? 0) * 1000;
  if (Date.parse(status.expirationTimestamp ?? '') !== ends) return body;
  return { ...(body as object), status: { ...status, expirationTimestamp: '<time+exp>' } };
}

/** Header and claims of the token that an answer gives; its times are told from when it was issued. Undefined: the answer gives none. */
export function tokenIn(body: unknown): unknown {
  const { token } = ((body ?? {}) as TokenRequest).status ?? {};
  if (token === undefined) return undefined;
  const [header, claims] = token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims);
  const { iat = 0, exp = 0, nbf = 0 } = claims as Claims;
  const since = (time: number): string => (time === iat ? 'iat' : `iat+${time - iat}`);
  return { header: { ...header, kid: '<kid>' }, claims: { ...claims, exp: since(exp), iat: since(iat), nbf: since(nbf) } };
}

interface Claims extends Record<string, unknown> {
  iat?: number;
  exp?: number;
  nbf?: number;
}

/** Which build somebody runs is nobody else's. */
export function withoutBuild({ request }: CaseStep, body: unknown, recorded: unknown): unknown {
  if (request.path !== '/version') return body;
  const { gitCommit, buildDate } = recorded as Record<string, unknown>;
  return { ...(body as object), gitCommit, buildDate };
}
