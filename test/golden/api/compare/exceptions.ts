// Every exception that the comparisons of API sessions and kubectl transcripts make, argued; docs/fidelity.md shows them. The types hold
// that no rule of left-open.ts and left-open-transcripts.ts is without an entry here.
import type * as inSessions from './left-open';
import type * as inTranscripts from './left-open-transcripts';

export interface Exception {
  /** What is not compared, or not exactly. */
  what: string;
  why: string;
}

/** A rule that only serves another one says which. */
type Argued<Rules> = Readonly<Record<keyof Rules, Exception | { partOf: keyof Rules }>>;

const onTheWire = 'The recording did not keep it.';

export const sessionExceptions: Argued<typeof inSessions> = {
  neverKeptHeaders: { what: 'the headers Date and Content-Length', why: onTheWire },
  keptHeaders: { what: 'headers of sessions that are not about discovery or negotiation, but for the telling ones', why: onTheWire },
  keepsAllHeaders: { partOf: 'keptHeaders' },
  plainContentType: { partOf: 'keptHeaders' },
  isCleaningUp: {
    what: 'answers to what a session sends after its last step',
    why: 'It cleans up: what it deletes may be gone, as the recorded answers themselves say.',
  },
  leavesOutManagedFields: { what: 'metadata.managedFields, except in the two sessions about it', why: onTheWire },
  bootstrapVersionsAreUnordered: {
    what: 'the order of versions of objects that a server makes for itself',
    why: 'They are written in parallel at the start; two starts of the real server differ.',
  },
  isUnorderedList: { what: 'the order of component statuses', why: 'Asked for in parallel; two recordings differ.' },
  isDayOfStart: {
    what: 'the day since which tokens of service accounts are tracked',
    why: 'It is the day on which the cluster began, here as there.',
  },
  isOpenApiDocument: { partOf: 'withoutWords' },
  withoutWords: {
    what: 'descriptions in OpenAPI documents',
    why: 'They are prose of upstream’s own, which is not carried over. Paths, operations, parameters, schemas, defaults, enumerations and extensions are compared.',
  },
  isUnorderedRules: { what: 'the order of rules in reviews of access', why: 'They come from a map; two recordings differ.' },
  isOrderedBySeconds: {
    what: 'the order of field owners in metadata.managedFields',
    why: 'Upstream orders them by whole seconds, then by name; where a second begins is chance.',
  },
  isCauses: { what: 'the order of details.causes', why: 'It follows the order of the errors, some of which come from a map.' },
  namesCurrentVersion: {
    what: 'versions of lists, bookmarks and the “current” one in messages: order instead of equality',
    why: 'A real list’s own version may be larger than that of the last write.',
  },
  isBookmark: { partOf: 'isPlainBookmark' },
  isPlainBookmark: {
    what: 'number and moment of plain bookmarks, where the watch asked for them',
    why: 'They come about once a minute, and before the end of a watch.',
  },
  asksForBookmarks: { partOf: 'isPlainBookmark' },
  frameTolerance: { what: 'after which step a frame came, by one', why: 'A frame and the answer to the write that caused it overlap.' },
  isCollected: {
    what: 'the order of neighbouring frames and versions of objects that the garbage collector deletes or orphans',
    why: 'It handles the dependents of an owner at once, each in a goroutine of its own.',
  },
  comparesStatesOnly: {
    what: 'in the sessions deployment-live and preemption-live, the order of frames, versions and listed events',
    why: 'Scheduler, Deployment and ReplicaSet controllers write freely beside one another; the set of states is compared.',
  },
  canBeEarly: {
    what: 'in these sessions, when a state can be read: a read is repeated for three seconds',
    why: 'A read may come before what the controllers still write, here as there.',
  },
  isRepeatCount: {
    what: 'in these sessions, how often an Event was repeated',
    why: 'It counts how often a controller happened to look again before the step.',
  },
  isVersionOfRelated: {
    what: 'in these sessions, the version of the preemptor that an Event of its victim names',
    why: 'Upstream’s attempt began before the nomination was written; here the Event is derived after it.',
  },
  isRefusedAsRecorded: {
    what: 'three patches of the set-up of deployment-live that are refused',
    why: 'They would give pods a second address of one family, which upstream refuses as well; the rest of them is there already.',
  },
  withHexSuffix: { what: 'the suffix of an Event’s name', why: 'It is made of the time; here it is derived from what happened.' },
  administratorUid: { what: 'the uid of the administrator', why: 'The recording’s own; the stories have another one, which is ours.' },
  prefixBeforeGoTypes: {
    what: 'messages behind the place where they quote Go’s own types',
    why: 'Dumps of structs, lines of source files and positions say nothing that a client could use.',
  },
  withoutRoleNames: { what: 'which role “RBAC: allowed by” names', why: 'Where several allow it, it is the first of a map.' },
  mapOfField: {
    what: 'the order of neighbouring parts of “is invalid: [a, b]” that lie in one map',
    why: 'Go walks maps in any order; two recordings differ.',
  },
  lengthMayDifferBy: {
    what: 'the length of binary answers by twelve bytes, that of whole documents freely',
    why: 'It depends on digits of versions, and on descriptions; documents are compared as JSON.',
  },
  isNotKept: { what: 'bodies that were not kept', why: onTheWire },
};

export const transcriptExceptions: Argued<typeof inTranscripts> = {
  withoutBuild: {
    what: 'the commit of a server’s build and when it was built',
    why: 'It is another build. The recorded sessions and stories came from two builds themselves.',
  },
  foldBlanks: { what: 'runs of blanks', why: 'Columns are as wide as generated names, which differ.' },
  isProgressLine: {
    what: 'number and order of progress lines of rollout status and drain',
    why: 'They tell what happened to be seen; which kinds of lines drain prints is compared.',
  },
  canBeInFlight: {
    what: 'when a state can be read: get, describe and events are repeated for three seconds',
    why: 'The stand-in for kubelets looks every 0.4 s, here as there; a step may come before it.',
  },
  chosenNode: { what: 'which of three equal nodes a pod is on', why: 'The scheduler draws lots among equals.' },
  withoutRefusedNames: {
    what: 'which refused pod an Event of its ReplicaSet names',
    why: 'kubectl orders Events of the same second as it comes; the names were drawn.',
  },
  secondMatters: {
    what: 'when two restarts begin, of which the second must be refused: with a second of the clock',
    why: 'kubectl refuses it in the same second only; on a machine too slow for both it is not compared.',
  },
  missesSecond: { partOf: 'secondMatters' },
  isExplanation: { partOf: 'withoutDescriptions' },
  withoutDescriptions: {
    what: 'descriptions in kubectl explain',
    why: 'They are prose of upstream’s own, which is not carried over. Kubereel has words of its own for the two upper levels of daily kinds. Compared are fields and their order, types, marks, enumerations, headings and errors.',
  },
  cutsItsOutput: { partOf: 'withoutDescriptions' },
  isRemadeAtOnce: {
    what: 'whether kube-root-ca.crt is there again when kubectl looks whether it is gone',
    why: 'Its publisher makes it anew at once; which of the two is first is chance.',
  },
  withAddressOnce: {
    what: 'how many ready pods a Service shows in the middle of a rollout',
    why: 'The stand-in gave all pods one address, so only their number would be compared, which is of the moment.',
  },
  withManagersInOrder: {
    what: 'the order of field owners, as above, and the moving status of a quoted object',
    why: 'Where a second begins is chance, and so is how far a rollout has come.',
  },
};

const isArgued = (entry: Exception | { partOf: unknown }): entry is Exception => 'what' in entry;

/** By player, in the order of the page. */
export const exceptions: Readonly<Record<'api' | 'kubectl', readonly Exception[]>> = {
  api: Object.values(sessionExceptions).filter(isArgued),
  kubectl: Object.values(transcriptExceptions).filter(isArgued),
};
