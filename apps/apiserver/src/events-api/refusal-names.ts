import type { ResourceKind, Status } from '#libs/kube-api';

/**
 * events.k8s.io/v1 is a second view of the Events that core/v1 has. Refusals name the resource of the view that was written to; findings of
 * validation name the kind already.
 */
export function namedAsWritten({ storage, groupResource, group, resource }: ResourceKind, status: Status): Status {
  const { details } = status;
  if (storage === groupResource || details?.kind !== storage) return status;
  const { name, kind: _, ...others } = details;
  return {
    ...status,
    message: status.message?.replace(`${storage} "`, `${groupResource} "`),
    details: { ...(name === undefined ? {} : { name }), group, kind: resource, ...others },
  };
}
