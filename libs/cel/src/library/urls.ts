import { define, member, overload, type FunctionDecl } from '../types/functions';
import { boolType, listOf, mapOf, objectType, stringType } from '../types/type';
import { ArrayList, EntriesMap, EvaluationError, ExtensionValue } from '../values/value';
import { escapedPath, hostName, parseRequestUri, parseUrl, portOf, queryOf, urlText, type GoUrl } from './go-url';

export const urlType = objectType('kubernetes.URL');

class UrlValue extends ExtensionValue {
  readonly type = urlType;
  constructor(readonly url: GoUrl) {
    super();
  }
  equals({ url }: UrlValue): boolean {
    return urlText(this.url) === urlText(url);
  }
}

/** Read twice: as a request's, which has to be absolute, then with its fragment. */
function url(text: string): UrlValue {
  const request = parseRequestUri(text);
  const parsed = request.url ? parseUrl(text) : request;
  if (!parsed.url) throw new EvaluationError(`URL parse error during conversion from string: ${parsed.problem}`);
  return new UrlValue(parsed.url);
}

const part = (name: string, id: string, read: (url: GoUrl) => string): FunctionDecl =>
  define(
    name,
    member(id, [urlType], stringType, (value: UrlValue) => read(value.url)),
  );

export const urlFunctions: readonly FunctionDecl[] = [
  define('url', overload('string_to_url', [stringType], urlType, url)),
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', hostName),
  part('getPort', 'url_get_port', portOf),
  part('getEscapedPath', 'url_get_escaped_path', escapedPath),
  define(
    'getQuery',
    member('url_get_query', [urlType], mapOf(stringType, listOf(stringType)), (value: UrlValue) =>
      EntriesMap.of(Array.from(queryOf(value.url), ([key, values]) => [key, new ArrayList(values)] as const)),
    ),
  ),
  define(
    'isURL',
    overload('is_url_string', [stringType], boolType, (text: string) => parseRequestUri(text).url !== undefined),
  ),
];
