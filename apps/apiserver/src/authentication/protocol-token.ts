import type { IncomingHttpHeaders } from 'node:http';
import { isUtf8 } from 'node:buffer';

const prefix = 'base64url.bearer.authorization.k8s.io.';

/**
 * The token in the subprotocols of a WebSocket, for pages in a browser, which can set no other header. It is taken out of them, for it is
 * not to be spoken: another one has to be there to agree on (upstream `authentication/request/websocket`).
 * Undefined: there is none; null: what is there is no token.
 */
export function takeProtocolToken(headers: IncomingHttpHeaders): string | null | undefined {
  const asked = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const tokens = asked.filter((name) => name.startsWith(prefix));
  const others = asked.filter((name) => !name.startsWith(prefix));
  if (tokens.length === 0) return undefined;
  const encoded = (tokens[0] as string).slice(prefix.length);
  const bytes = Buffer.from(encoded, 'base64url');
  if (tokens.length > 1 || others.length === 0 || bytes.toString('base64url') !== encoded || !isUtf8(bytes)) return null;
  headers['sec-websocket-protocol'] = others.join(',');
  return bytes.toString('utf8');
}
