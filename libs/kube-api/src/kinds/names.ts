import type { GroupResource } from '#libs/kernel';

/** `pods`, `deployments.apps` */
export function groupResourceOf(group: string, resource: string): GroupResource {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `v1`, `apps/v1` */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `/api/v1`, `/apis/apps/v1` */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** `apps/v1` → group and version; undefined for what is none (more than one slash). */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: apiVersion };
  return parts.length === 2 ? { group: parts[0] as string, version: parts[1] as string } : undefined;
}
