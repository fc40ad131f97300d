import type { FoldedAppend } from '#libs/cluster-state';
import type { EventMetadata } from '#libs/events';
import { problemOfTold } from '#libs/kube-api';
import type { AppendCheck } from './check';
import type { Findings } from './finding';

/** What a log tells of who owns which fields: only what does not follow from what changed, and of fields that there are and that can be owned. */
export class ToldOwnersCheck implements AppendCheck {
  readonly letter = 'W';

  constructor(private readonly findings: Findings) {}

  folded({ events, change }: FoldedAppend): void {
    const told = events.find(({ type }) => type === 'ManagedFieldsChanged');
    const [first] = events;
    if (!told || !first || !change || change.type === 'DELETED') return;
    const { resource, object: after } = change;
    const before = first.type === 'Created' ? undefined : change.before;
    const metadata = first.metadata as unknown as EventMetadata;
    const problem = problemOfTold({ resource, before, after, metadata, told: told.data }, events.length === 1);
    if (problem) this.findings.foundAt('W', told, problem);
  }
}
