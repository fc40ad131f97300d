import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { ofNoObject, type Reconciler, type Reconciliation } from '#libs/control-loop';
import { answerReview, isPriorityReview } from './answer';

/**
 * Answers admission reviews of pods and PriorityClasses in the order they were asked. The subject is the id of the request;
 * the answer is a function of the classes folded when it is given, so it can be given again from its basis.
 */
export const priorityReviewer: Reconciler = {
  name: 'priority-admission',
  behaviour: '1',
  stream: 'admission-reviews',
  config: {},
  follows: [ofNoObject],

  *follow(_index: undefined, append: FoldedAppend): Iterable<string> {
    if (append.change) return;
    for (const event of append.events) if (isPriorityReview(event.type)) yield event.id;
  },

  *allSubjects(_index: undefined, cluster: ClusterState): Iterable<string> {
    for (const [id, event] of cluster.decisions.pendingReviews) if (isPriorityReview(event.type)) yield id;
  },

  reconcile(cluster: ClusterState, _index: undefined, subject: string): Reconciliation | undefined {
    const event = cluster.decisions.pendingReviews.get(subject);
    const answer = event && answerReview(cluster, event);
    if (!answer) return undefined;
    const correlationId = (event.metadata.$correlationId as string | undefined) ?? event.id;
    return { records: [answer], steps: [], cause: { correlationId, causationId: event.id } };
  },
};
