import type { GroupResource, KubeObject } from '#libs/kernel';

export interface DefaultObject {
  resource: GroupResource;
  object: KubeObject;
  /** Who owns its fields; the server itself when absent. */
  manager?: string;
}

export interface BootstrapOptions {
  /** PEM of the CA that clients trust; left out of the recorded configuration when unknown. */
  ca?: string;
  /** PEM of the CA of the front proxy's certificate; absent: `ca`. */
  frontProxyCa?: string;
  /** Where the API server listens. */
  port?: number;
  /** Name of the host that it runs on. Absent: nobody is told which server this is. */
  host?: string;
  /** IPv4 address by which others reach it. Absent: none does. */
  address?: string;
}

/** An object as it is sent: the write path gives it a uid and a time. */
export function draft(metadata: Partial<KubeObject['metadata']>): KubeObject {
  return { metadata: metadata as KubeObject['metadata'] };
}
