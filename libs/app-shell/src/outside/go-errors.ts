import { isIPv6 } from 'node:net';

interface SystemError extends Error {
  code?: string;
  cert?: { subjectaltname?: string };
}

const dialed: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'x509: certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'x509: certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'x509: certificate signed by unknown authority',
  CERT_SIGNATURE_FAILURE: 'x509: certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
};

/** Why a request could not be made or was not answered, in the words of Go's client. @param isAnswering the answer had begun */
export function goNetworkError(error: SystemError, host: string, port: number, isAnswering: boolean): string {
  const { code = '', message } = error;
  const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  const dial = dialed[code];
  if (dial !== undefined) return `dial tcp ${addressOf(error) ?? address}: ${dial}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  const ofCertificate = certificateProblems[code];
  if (ofCertificate !== undefined) return `tls: failed to verify certificate: ${ofCertificate}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: ${wrongName(error, host)}`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return isAnswering ? 'unexpected EOF' : 'EOF';
  if (code === 'EPROTO' && message.includes('wrong version number')) return 'http: server gave HTTP response to HTTPS client';
  if (code.startsWith('HPE_')) return 'net/http: HTTP/1.x transport connection broken: malformed HTTP response';
  return message;
}

/** Where Node was refused, which may be one of several addresses of a name. */
function addressOf(error: SystemError): string | undefined {
  const { address, port } = error as { address?: string; port?: number };
  if (address === undefined || port === undefined) return undefined;
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

function wrongName({ cert }: SystemError, host: string): string {
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
    .filter((name) => name !== '');
  if (names.length === 0) return `x509: certificate is not valid for any names, but wanted to match ${host}`;
  return `x509: certificate is valid for ${names.join(', ')}, not ${host}`;
}
