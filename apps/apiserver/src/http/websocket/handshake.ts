import type { IncomingHttpHeaders } from 'node:http';

/** Why a WebSocket is not opened: status and text as the library of the real server (`golang.org/x/net/websocket`) sends them. */
export interface HandshakeRefusal {
  refused: number;
  text: string;
}

/** Which subprotocol is spoken: `''` when none was asked for. */
export interface Handshake {
  protocol: string;
}

const refusal = (refused: number, text = ''): HandshakeRefusal => ({ refused, text });

/** Whether a request asks to leave HTTP, for whatever (upstream `httpstream.IsUpgradeRequest`). */
export function asksForUpgrade({ connection }: IncomingHttpHeaders): boolean {
  return (connection ?? '').toLowerCase().includes('upgrade');
}

/** Whether a request asks for a WebSocket (upstream `wsstream.IsWebSocketRequest`). */
export function asksForWebSocket({ upgrade, connection }: IncomingHttpHeaders): boolean {
  return upgrade?.toLowerCase() === 'websocket' && (connection ?? '').toLowerCase().includes('upgrade');
}

/**
 * A WebSocket that only tells: a watch. Says no to whoever does not say where the page comes from that asks, and takes any one
 * subprotocol, which then means nothing.
 */
export function agreeOnWatch(method: string, headers: IncomingHttpHeaders): Handshake | HandshakeRefusal {
  const wrong = malformed(method, headers);
  if (wrong) return wrong;
  if (!isOrigin(headers.origin)) return refusal(403);
  const [protocol = '', ...others] = askedProtocols(headers);
  return others.length > 0 ? refusal(400) : { protocol };
}

/** A WebSocket with a choice of subprotocols: the first one asked for that is `allowed`. `''` stands for none. */
export function agreeOnProtocol(method: string, headers: IncomingHttpHeaders, allowed: readonly string[]): Handshake | HandshakeRefusal {
  const wrong = malformed(method, headers);
  if (wrong) return wrong;
  const asked = askedProtocols(headers);
  const protocol = (asked.length === 0 ? [''] : asked).find((name) => allowed.includes(name));
  return protocol === undefined ? refusal(403) : { protocol };
}

export function askedProtocols(headers: IncomingHttpHeaders): string[] {
  const text = headers['sec-websocket-protocol']?.trim() ?? '';
  return text === '' ? [] : text.split(',').map((name) => name.trim());
}

function malformed(method: string, headers: IncomingHttpHeaders): HandshakeRefusal | undefined {
  if (method !== 'GET') return refusal(405, 'bad method');
  const key = headers['sec-websocket-key'];
  // 16 bytes in base64.
  if (key === undefined || !/^[+/0-9A-Za-z]{22}==$/.test(key)) return refusal(400, 'mismatch challenge/response');
  if (headers['sec-websocket-version'] !== '13') return refusal(400, 'missing or bad WebSocket Version');
  return undefined;
}

/** What Go takes for the address of a page: absolute, or a path. */
function isOrigin(origin: string | undefined): boolean {
  return origin !== undefined && (origin.startsWith('/') || URL.canParse(origin));
}
