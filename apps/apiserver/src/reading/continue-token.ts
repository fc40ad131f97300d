import { badRequest, goQuote, type Failure } from '#libs/kube-api';

/** Where the next page of a list begins: the version all pages show, and the first key that may be on it. */
export interface ContinueToken {
  /** -1: whatever is current; the pages before showed another version. */
  version: number;
  /** Relative to the list's prefix (`name`, or `namespace/name` over all namespaces). */
  start: string;
}

const apiVersion = 'meta.k8s.io/v1';

export function encodeContinue({ version, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: apiVersion, rv: version, start }), 'utf8').toString('base64url');
}

/** Upstream's own form, so that its clients' and its errors' habits hold (`storage.DecodeContinue`). */
export function decodeContinue(text: string): ContinueToken | Failure {
  const bad = (detail: string): Failure => badRequest(`invalid continue token: continue key is not valid: ${detail}`);
  const stray = text.search(/[^A-Za-z0-9_-]/);
  if (stray >= 0 || text.length % 4 === 1) return bad(`illegal base64 data at input byte ${stray >= 0 ? stray : text.length - 1}`);
  const bytes = Buffer.from(text, 'base64url');
  let token: unknown;
  try {
    token = JSON.parse(bytes.toString('utf8'));
  } catch {
    return bad(syntaxError(bytes));
  }
  const { v, rv, start } = (typeof token === 'object' && token !== null ? token : {}) as Record<string, unknown>;
  if (v !== apiVersion) return bad(`server does not recognize this encoded version ${String(v ?? '')}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0)
    return bad(`incorrect encoded start resourceVersion (version ${apiVersion})`);
  if (typeof start !== 'string' || start === '') return bad(`encoded start key empty (version ${apiVersion})`);
  if (`/${start}`.split('/').some((part, index) => index > 0 && (part === '' || part === '.' || part === '..'))) return bad(start);
  return { version: rv, start };
}

/** What Go's decoder says of a text that does not even begin as JSON. */
function syntaxError(bytes: Buffer): string {
  const first = bytes[0];
  if (first === undefined) return 'unexpected end of JSON input';
  if ('{["tfn-0123456789 \t\r\n'.includes(String.fromCharCode(first))) return 'unexpected end of JSON input';
  return `invalid character '${goQuote(String.fromCharCode(first)).slice(1, -1)}' looking for beginning of value`;
}
