import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { CheckLetter, Findings } from './finding';

/** Looks at the events one by one, as they are stored. What it finds goes to the Findings that it was made with. */
export interface EventCheck {
  readonly letter: CheckLetter;
  event(event: RecordedEvent): void;
  /** The log has come to its end. */
  end?(): void;
}

/** Looks at whole appends, in the newest version of their payloads, with the cluster as it was before them and as it is after them. */
export interface AppendCheck {
  readonly letter: CheckLetter;
  /** The cluster has not folded it yet. */
  append?(append: readonly RecordedEvent[], cluster: ClusterState): void;
  /** Each frame of it, folded. */
  folded?(frame: FoldedAppend, cluster: ClusterState): void;
  end?(): void;
}

/** An edited log may hold anything: where a check throws, that is its finding. */
export function guarded(letter: CheckLetter, findings: Findings, event: RecordedEvent, look: () => void): void {
  try {
    look();
  } catch (error) {
    findings.foundAt(letter, event, `nothing can be made of it (${(error as Error).message})`);
  }
}
