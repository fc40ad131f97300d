/**
 * The verdict of a plugin. `undefined` in place of a status means Success, so the common path allocates nothing.
 *
 * - `Unschedulable`: refused, but removing pods (preemption) may help.
 * - `UnschedulableAndUnresolvable`: refused, and no preemption can help.
 * - `Pending`: refused until something the plugin started is done; requeued without back-off.
 * - `Skip`: (PreFilter, PreScore, Bind) the plugin has nothing to do for this pod; its Filter or Score is not run.
 * - `Wait`: (Permit) binding has to wait.
 * - `Error`: a fault of ours, not a refusal.
 */
export type Code = 'Success' | 'Error' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Wait' | 'Skip' | 'Pending';

export interface Status {
  readonly code: Code;
  readonly reasons: readonly string[];
  /** The plugin that refused; absent where the framework itself did. */
  readonly plugin?: string;
}

const noReasons: readonly string[] = [];

export const skip: Status = { code: 'Skip', reasons: noReasons };
export const success: Status = { code: 'Success', reasons: noReasons };

/** A refusal that removing pods may cure. */
export function unschedulable(plugin: string, ...reasons: string[]): Status {
  return { code: 'Unschedulable', reasons, plugin };
}

/** A refusal that no preemption can cure. */
export function unresolvable(plugin: string, ...reasons: string[]): Status {
  return { code: 'UnschedulableAndUnresolvable', reasons, plugin };
}

/** A fault: no verdict on the node or the pod. The attempt is made again after back-off. */
export function errorStatus(plugin: string, message: string): Status {
  return { code: 'Error', reasons: [message], plugin };
}

export function codeOf(status: Status | undefined): Code {
  return status === undefined ? 'Success' : status.code;
}

/** Refusals are ordinary verdicts: the pod waits for the cluster to change. Errors are retried after back-off. */
export function isRejected(status: Status): boolean {
  return status.code === 'Unschedulable' || status.code === 'UnschedulableAndUnresolvable' || status.code === 'Pending';
}

/** All reasons in one text, as upstream joins them. */
export function messageOf(status: Status | undefined): string {
  return status === undefined ? '' : status.reasons.join(', ');
}
