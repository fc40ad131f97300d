import type { RequestInfo } from './request-info';

const longSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Requests that may go on for as long as somebody likes (upstream `BasicLongRunningRequestCheck`). */
export function isLongRunning({ resource, path }: RequestInfo): boolean {
  if (!resource) return path.startsWith('/debug/pprof/');
  return resource.verb === 'watch' || (resource.subresource !== undefined && longSubresources.has(resource.subresource));
}
