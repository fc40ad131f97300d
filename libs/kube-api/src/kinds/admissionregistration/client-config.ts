import { invalidValue, required } from '../../status/field-error';
import { isDnsSubdomain, isPortNumber } from '../../validation/formats';
import { isSet, type Errors, type Loose } from '../../validation/values';

const form = '; desired format: https://host[/path]';

/** Where a webhook is asked: an address or a Service. */
export function validateClientConfig({ url, service }: Loose, field: string, errors: Errors): void {
  if (isSet(url) === isSet(service)) errors.push(required(field, 'exactly one of url or service is required'));
  else if (isSet(url)) validateUrl(url, `${field}.url`, errors);
  else validateService(service, `${field}.service`, errors);
}

/** The parts of an address, as far as Go's parser tells them apart. */
const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

function validateUrl(text: string, field: string, errors: Errors): void {
  const problem = urlProblem(text);
  if (problem !== undefined) {
    errors.push(required(field, `url must be a valid URL: parse ${JSON.stringify(text)}: ${problem}${form}`));
    return;
  }
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = parts.exec(text) ?? [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalidValue(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  }
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(invalidValue(field, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
}

/** What Go's parser does not take, in its words. */
function urlProblem(text: string): string | undefined {
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (code < 0x20 || code === 0x7f) return 'net/url: invalid control character in URL';
  }
  if (text.startsWith(':')) return 'missing protocol scheme';
  const [, scheme, , host = '', path = ''] = parts.exec(text) ?? [];
  if (scheme === undefined && !text.startsWith('/') && /^[^/?#]*:/.test(text)) return 'first path segment in URL cannot contain colon';
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path);
  if (escape) return `invalid URL escape ${JSON.stringify(escape[0])}`;
  const space = /[ "<>\\^`{}|]/.exec(host);
  if (space) return `invalid character ${JSON.stringify(space[0])} in host name`;
  const port = /:([^:\]]*)$/.exec(host);
  return port && !/^\d*$/.test(port[1] as string) ? `invalid port ${JSON.stringify(port[0])} after host` : undefined;
}

/** Upstream hands name and namespace over in the wrong order: what is missing is reported at the other one. */
function validateService({ name = '', namespace = '', port = 0, path }: Loose, field: string, errors: Errors): void {
  if (namespace === '') errors.push(required(`${field}.name`));
  if (name === '') errors.push(required(`${field}.namespace`));
  const [wrong] = isPortNumber(port);
  if (wrong !== undefined) errors.push(invalidValue(`${field}.port`, port, `port is not valid: ${wrong}`));
  if (isSet(path)) validatePath(path, `${field}.path`, errors);
}

function validatePath(path: string, field: string, errors: Errors): void {
  if (path === '' || path === '/') return;
  const refuse = (text: string): unknown => errors.push(invalidValue(field, path, text));
  if (path === '//') {
    refuse('segment[0] may not be empty');
    return;
  }
  if (!path.startsWith('/')) refuse("must start with a '/'");
  for (const [index, step] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') refuse(`segment[${index}] may not be empty`);
    else for (const text of isDnsSubdomain(step)) refuse(`segment[${index}]: ${text}`);
  }
}
