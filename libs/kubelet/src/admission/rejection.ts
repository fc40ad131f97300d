/** Why the kubelet does not take a pod: `reason` and `message` as its event has them. */
export interface Rejection {
  reason: string;
  message: string;
}

/** The message as the pod's status has it. */
export function statusMessage(rejection: Rejection): string {
  return `Pod was rejected: ${rejection.message}`;
}
