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

/** The two ends of a connection: where it goes, and this one as `HOST:PORT` (absent or empty: it is not told). */
export interface Ends {
  readonly host: string;
  readonly port: number;
  readonly own?: string;
}

/** Why a request could not be made or was not answered, in the words of Go's client. */
export function goNetworkError(error: SystemError, { host, port, own = '' }: Ends): string {
  const { code = '', message } = error;
  const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  const dial = dialed[code];
  if (dial !== undefined) return `dial tcp ${addressOf(error) ?? address}: ${dial}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  const ofCertificate = certificateProblems[code];
  if (ofCertificate !== undefined) return `tls: failed to verify certificate: ${ofCertificate}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: ${wrongName(error, host)}`;
  // Node says the first of a connection that was closed, the second of one that was reset.
  if (code === 'ECONNRESET' && message === 'read ECONNRESET' && own !== '')
    return `read tcp ${own}->${address}: read: connection reset by peer`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'EOF';
  if (code === 'EPROTO' && message.includes('wrong version number')) return 'http: server gave HTTP response to HTTPS client';
  if (code.startsWith('HPE_')) return `${brokenTransport}malformed HTTP response`;
  return message;
}

const brokenTransport = 'net/http: HTTP/1.x transport connection broken: ';

/** What Go says of a head that it cannot read, or that was broken off. Undefined: nothing is wrong with what there is of it. */
export function goHeadError({ code = '' }: SystemError, heard: Buffer): string | undefined {
  if (heard.length === 0) return undefined;
  const text = heard.toString('latin1');
  const [line = '', ...rest] = text.split('\r\n');
  if (!text.includes('\n'))
    return code === 'ECONNRESET' ? `${brokenTransport}unexpected EOF` : `${brokenTransport}malformed HTTP response ${JSON.stringify(line)}`;
  const [protocol = '', ...words] = line.split(' ');
  if (words.length === 0) return `${brokenTransport}malformed HTTP response ${JSON.stringify(line)}`;
  const [status = ''] = words.join(' ').trimStart().split(' ');
  if (!/^\d{3}$/.test(status)) return `${brokenTransport}malformed HTTP status code ${JSON.stringify(status)}`;
  if (!/^HTTP\/\d\.\d$/.test(protocol)) return `${brokenTransport}malformed HTTP version ${JSON.stringify(protocol)}`;
  const lengths = rest.slice(0, rest.indexOf('')).flatMap((field) => /^content-length:\s*(.*?)\s*$/i.exec(field)?.[1] ?? []);
  if (new Set(lengths).size > 1) {
    const got = lengths.map((length) => JSON.stringify(length)).join(' ');
    return `${brokenTransport}http: message cannot contain multiple Content-Length headers; got [${got}]`;
  }
  return code === 'ECONNRESET' ? `${brokenTransport}unexpected EOF` : undefined;
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
