/** A URL as Go's net/url takes it apart. Texts are as they were written unless said otherwise. */
export interface GoUrl {
  scheme: string;
  /** What follows a scheme without a slash: `mailto:…`. */
  opaque: string;
  user: string | undefined;
  /** With its port, percent signs decoded. */
  host: string;
  /** Decoded. */
  path: string;
  /** As it was written, where that is a valid way to write it. */
  rawPath: string;
  rawQuery: string;
  fragment: string;
}

/** A text that is no URL, in Go's words. */
class UrlProblem extends Error {}

/** The URL, or what is wrong with the text. */
export type ParsedUrl = { url: GoUrl; problem?: undefined } | { url?: undefined; problem: string };

const control = /[\u0000-\u001f\u007f]/;

/** `ParseRequestURI`: absolute, and a fragment is part of the path. */
export function parseRequestUri(text: string): ParsedUrl {
  return told(text, () => parse(text, true));
}

/** `Parse`: relative ones too. */
export function parseUrl(text: string): ParsedUrl {
  const hash = text.indexOf('#');
  return told(text, () => {
    const url = parse(hash < 0 ? text : text.slice(0, hash), false);
    return hash < 0 ? url : { ...url, fragment: decode(text.slice(hash + 1)) };
  });
}

function told(text: string, read: () => GoUrl): ParsedUrl {
  try {
    return { url: read() };
  } catch (error) {
    if (error instanceof UrlProblem) return { problem: `parse ${JSON.stringify(text)}: ${error.message}` };
    throw error;
  }
}

function parse(text: string, isRequest: boolean): GoUrl {
  if (control.test(text)) throw new UrlProblem('net/url: invalid control character in URL');
  if (text === '' && isRequest) throw new UrlProblem('empty url');
  const url: GoUrl = { scheme: '', opaque: '', user: undefined, host: '', path: '', rawPath: '', rawQuery: '', fragment: '' };
  if (text === '*') return { ...url, path: '*' };
  const [scheme, afterScheme] = schemeOf(text);
  url.scheme = scheme.toLowerCase();
  const question = afterScheme.indexOf('?');
  let rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
  url.rawQuery = question < 0 ? '' : afterScheme.slice(question + 1);
  if (!rest.startsWith('/')) {
    if (url.scheme !== '') return { ...url, opaque: rest };
    if (isRequest) throw new UrlProblem('invalid URI for request');
    if ((rest.split('/')[0] as string).includes(':')) throw new UrlProblem('first path segment in URL cannot contain colon');
  }
  if ((url.scheme !== '' || (!isRequest && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    takeAuthority(url, rest.slice(2, slash < 0 ? undefined : slash));
    rest = slash < 0 ? '' : rest.slice(slash);
  }
  return { ...url, path: decode(rest), rawPath: rest };
}

function schemeOf(text: string): [string, string] {
  if (text.startsWith(':')) throw new UrlProblem('missing protocol scheme');
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0];
  return scheme === undefined ? ['', text] : [scheme, text.slice(scheme.length + 1)];
}

function takeAuthority(url: GoUrl, authority: string): void {
  const at = authority.lastIndexOf('@');
  url.host = hostOf(at < 0 ? authority : authority.slice(at + 1));
  if (at < 0) return;
  url.user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._~:!$&'()*+,;=%@]*$/.test(url.user)) throw new UrlProblem('net/url: invalid userinfo');
  decode(url.user);
}

const port = /^(?::[0-9]*)?$/;

function hostOf(text: string): string {
  const end = text.startsWith('[') ? text.lastIndexOf(']') : text.lastIndexOf(':') - 1;
  if (text.startsWith('[') && end < 0) throw new UrlProblem("missing ']' in host");
  if ((text.startsWith('[') || end >= -1) && text.includes(':')) {
    const after = text.slice(end + 1);
    if (!port.test(after)) throw new UrlProblem(`invalid port ${JSON.stringify(after)} after host`);
  }
  return decodeHost(text);
}

/** Percent signs only for what is no ASCII, and no character that a host cannot have. */
function decodeHost(text: string): string {
  const escape = /%(?![89a-fA-F][0-9a-fA-F])(?!25).{0,2}/.exec(text)?.[0];
  if (escape !== undefined) throw new UrlProblem(`invalid URL escape ${JSON.stringify(escape)}`);
  const bad = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(text)?.[0];
  if (bad !== undefined) throw new UrlProblem(`invalid character ${JSON.stringify(bad)} in host name`);
  return decode(text);
}

/** Percent signs decoded. @throws UrlProblem where one is not followed by two digits */
function decode(text: string): string {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0];
  if (bad !== undefined) throw new UrlProblem(`invalid URL escape ${JSON.stringify(bad)}`);
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const part of text.split(/(%[0-9a-fA-F]{2})/)) {
    if (/^%[0-9a-fA-F]{2}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...encoder.encode(part));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const pathCharacters = /^[A-Za-z0-9\-._~$&+,/:;=@!'()*[\]%]*$/;

/** As it was written where that is valid, else encoded anew. */
export function escapedPath({ path, rawPath }: GoUrl): string {
  if (pathCharacters.test(rawPath)) return rawPath;
  if (path === '*') return '*';
  return encodePath(path);
}

function encodePath(path: string): string {
  return Array.from(new TextEncoder().encode(path), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-._~$&+,/:;=@]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

export function hostName({ host }: GoUrl): string {
  const end = host.lastIndexOf(']');
  if (host.startsWith('[') && end >= 0) return host.slice(1, end);
  const colon = host.lastIndexOf(':');
  return colon >= 0 && port.test(host.slice(colon)) ? host.slice(0, colon) : host;
}

export function portOf({ host }: GoUrl): string {
  const colon = host.lastIndexOf(':');
  return colon > host.lastIndexOf(']') && port.test(host.slice(colon)) ? host.slice(colon + 1) : '';
}

/** Values by key, both decoded; what cannot be decoded, or has a semicolon, is left out. */
export function queryOf({ rawQuery }: GoUrl): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const part of rawQuery.split('&')) {
    if (part === '' || part.includes(';')) continue;
    if (/%(?![0-9a-fA-F]{2})/.test(part)) continue;
    const equals = part.indexOf('=');
    const read = (text: string): string => decode(text.replaceAll('+', ' '));
    const key = read(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : read(part.slice(equals + 1));
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

/** The whole again: what Go's `String` writes. */
export function urlText(url: GoUrl): string {
  const scheme = url.scheme === '' ? '' : `${url.scheme}:`;
  const query = url.rawQuery === '' ? '' : `?${url.rawQuery}`;
  const fragment = url.fragment === '' ? '' : `#${url.fragment}`;
  if (url.opaque !== '') return `${scheme}${url.opaque}${query}${fragment}`;
  const user = url.user === undefined ? '' : `${url.user}@`;
  const authority = url.host === '' && url.user === undefined ? '' : `//${user}${url.host}`;
  return `${scheme}${authority}${escapedPath(url)}${query}${fragment}`;
}
