import type { Status } from '#libs/kube-api';

/** A Status as it stands on an error stream: without kind and apiVersion. */
export type BareStatus = Omit<Status, 'kind' | 'apiVersion'>;

export function bareStatus({ kind: _kind, apiVersion: _apiVersion, ...status }: Status): BareStatus {
  return status;
}

export const success: BareStatus = { metadata: {}, status: 'Success' };
