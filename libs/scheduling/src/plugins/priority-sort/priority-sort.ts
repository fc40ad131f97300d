import type { QueuedPod, QueueSortPlugin } from '../../framework/interface';

/** Higher priority first; of equals the one that has waited longer since it came or last failed. */
export class PrioritySort implements QueueSortPlugin {
  readonly name = 'PrioritySort';

  less(a: QueuedPod, b: QueuedPod): boolean {
    const difference = a.info.priority - b.info.priority;
    return difference > 0 || (difference === 0 && a.timestamp < b.timestamp);
  }

  eventsToRegister(): readonly never[] {
    return [];
  }
}
