/** Whom a request is to be handed on to: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. */
export interface ProxiedName {
  scheme: string;
  name: string;
  port: string;
}

const schemes: ReadonlySet<string> = new Set(['', 'http', 'https']);

/** Undefined for a name that is none. */
export function readProxiedName(text: string): ProxiedName | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme, name, port] = parts.length === 3 ? parts : ['', ...parts];
  if (!name || scheme === undefined || !schemes.has(scheme)) return undefined;
  return { scheme, name, port: port ?? '' };
}
