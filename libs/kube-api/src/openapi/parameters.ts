/** A parameter of a path or a query, without the words of a particular version of OpenAPI. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'boolean' | 'integer';
}

const query = (name: string, type: Parameter['type'] = 'string'): Parameter => ({ name, in: 'query', type });

export const pretty = query('pretty');

export const writeQuery: readonly Parameter[] = [query('dryRun'), query('fieldManager'), query('fieldValidation')];
export const patchQuery: readonly Parameter[] = [...writeQuery, query('force', 'boolean')];

const selecting: readonly Parameter[] = [
  query('continue'),
  query('fieldSelector'),
  query('labelSelector'),
  query('limit', 'integer'),
  query('resourceVersion'),
  query('resourceVersionMatch'),
  query('sendInitialEvents', 'boolean'),
  query('timeoutSeconds', 'integer'),
];
export const listQuery: readonly Parameter[] = [query('allowWatchBookmarks', 'boolean'), ...selecting, query('watch', 'boolean')];

export const deleteQuery: readonly Parameter[] = [
  query('dryRun'),
  query('gracePeriodSeconds', 'integer'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy'),
];
export const deleteCollectionQuery: readonly Parameter[] = [...selecting, ...deleteQuery];

export const logQuery: readonly Parameter[] = [
  query('container'),
  query('follow', 'boolean'),
  query('insecureSkipTLSVerifyBackend', 'boolean'),
  query('limitBytes', 'integer'),
  query('previous', 'boolean'),
  query('sinceSeconds', 'integer'),
  query('stream'),
  query('tailLines', 'integer'),
  query('timestamps', 'boolean'),
];

const streams = ['stderr', 'stdin', 'stdout', 'tty'].map((name) => query(name, 'boolean'));
/** Subresources that a client connects to: what goes to and fro is no object. */
export const connectQueries: Readonly<Record<string, readonly Parameter[]>> = {
  attach: [query('container'), ...streams],
  exec: [query('command'), query('container'), ...streams],
  portforward: [query('ports', 'integer')],
  proxy: [query('path')],
};

/** Names in braces, in the order of the path. */
export function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name: name as string, in: 'path', type: 'string' }));
}

/** By name; of one name, what is in the path comes first. */
export function sorted(parameters: readonly Parameter[]): Parameter[] {
  const rank = (parameter: Parameter): string => `${parameter.name}/${parameter.in}`;
  return [...parameters].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
