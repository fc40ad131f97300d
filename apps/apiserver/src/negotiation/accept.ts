import { notAcceptable, notAcceptableRepresentation, type Failure } from '#libs/kube-api';

/** Media types the API answers in. */
export const readableTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;

export type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** In which form an answer is wanted. */
export interface Negotiated {
  /** Protobuf: for what there are messages for; anything else that was asked for so is JSON, which every such client takes. */
  format: 'json' | 'yaml' | 'protobuf';
  pretty: boolean;
  /** Of group meta.k8s.io. */
  as?: Transform;
  /** Version of that group: v1, or v1beta1 from old clients. */
  asVersion?: string;
}

interface Clause {
  type: string;
  params: ReadonlyMap<string, string>;
  q: number;
}

/** Clauses of an Accept header looked at; the rest of a longer one is ignored. */
const clausesMax = 64;
const transforms: ReadonlySet<string> = new Set<Transform>(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

export function parseAccept(header: string): Clause[] {
  const clauses: Clause[] = [];
  for (const part of header.split(',').slice(0, clausesMax)) {
    const [type = '', ...rest] = part.split(';').map((word) => word.trim());
    if (type === '') continue;
    const params = new Map<string, string>();
    for (const word of rest) {
      const equals = word.indexOf('=');
      if (equals > 0) params.set(word.slice(0, equals).toLowerCase(), word.slice(equals + 1));
    }
    const q = params.has('q') ? Number(params.get('q')) : 1;
    clauses.push({ type: type.toLowerCase(), params, q: Number.isFinite(q) ? q : 1 });
  }
  return clauses.sort((a, b) => b.q - a.q || Number(a.type === '*/*') - Number(b.type === '*/*'));
}

export interface AcceptHeaders {
  accept?: string;
  'user-agent'?: string;
}

/**
 * Chooses the form of an answer. `transformable`: the answer is of API objects, which come as Tables and metadata too.
 * A first look takes any clause that names a known type, whatever its parameters; a second one looks at those.
 */
export function negotiate(headers: AcceptHeaders, pretty: boolean | undefined, transformable: boolean): Negotiated | Failure {
  const clauses = parseAccept(headers.accept || '*/*');
  const known = (type: string): boolean => type === '*/*' || (readableTypes as readonly string[]).includes(type);
  if (!clauses.some((clause) => known(clause.type))) return notAcceptable(readableTypes);
  for (const clause of clauses) {
    if (!known(clause.type)) continue;
    const as = clause.params.get('as');
    const format = formatOf(clause.type, transformable && as !== 'Table');
    const base: Negotiated = { format, pretty: pretty ?? isForEyes(headers['user-agent']) };
    if (as === undefined) return base;
    const version = clause.params.get('v');
    const meta = clause.params.get('g') === 'meta.k8s.io' && (version === 'v1' || version === 'v1beta1');
    if (transformable && meta && transforms.has(as)) return { ...base, as: as as Transform, asVersion: version };
  }
  return notAcceptableRepresentation(readableTypes);
}

/** As `negotiate`, of what there are no messages for: where nothing else is taken, there is nothing to answer. */
export function negotiateText(headers: AcceptHeaders, pretty: boolean | undefined): Negotiated | Failure {
  const clauses = (headers.accept || '*/*')
    .split(',')
    .filter((clause) => !/^\s*application\/vnd\.kubernetes\.protobuf\b(?!.*\bas=)/i.test(clause));
  if (clauses.length === 0) return notAcceptableRepresentation(readableTypes);
  return negotiate({ ...headers, accept: clauses.join(',') }, pretty, true);
}

function formatOf(type: string, hasMessages: boolean): Negotiated['format'] {
  if (type === 'application/vnd.kubernetes.protobuf' && hasMessages) return 'protobuf';
  return type === 'application/yaml' ? 'yaml' : 'json';
}

/** Programs whose output people read get it indented. */
function isForEyes(userAgent: string | undefined): boolean {
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
