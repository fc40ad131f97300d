import type { ResourceTable, SettledProgram, VersionedChange } from '#libs/cluster-state';
import type { Fact } from '#libs/events';
import type { GroupResource } from '#libs/kernel';
import type { ConversionCall, Converted, KindCatalogue } from '#libs/kube-api';
import type { StreamSink } from '../http/answer';
import type { ResourceFeed } from './resource-feed';

/** Gives the table as it is when called: what is read from it in the same turn is of one moment. */
export type Look = () => ResourceTable;

/** What the API serves, as of one position of the log: now, or some moment of the past. */
export interface ClusterView {
  /** Version of what is shown. */
  readonly position: number;
  /** Cluster time of the moment shown, ms: ages are counted to here. */
  readonly time: number;
  /** The kinds of objects that there are. */
  readonly kinds: KindCatalogue;
  /** The objects of a resource, at an older version if one is named. Waits only for what has to be read from the log first. */
  look(storage: GroupResource, version?: number): Promise<Look>;
  /** A client asks for an older version, to list or to watch from. @throws HistoryForgottenError where it has expired */
  keeps(version: number): Promise<void>;
  /** Changes later than a version, up to and with another one, oldest first, as they are read from the log. */
  changes(storage: GroupResource, after: number, until: number): AsyncIterable<readonly VersionedChange[]>;
  /** The latest changes, and those to come; a view of the past has none of them. */
  feed(storage: GroupResource): ResourceFeed | undefined;
  /** What is settled of a run of a container's program. */
  settledProgram(uid: string, container: string, restartCount: number): SettledProgram | undefined;
  /** The text of a file that an object names, below the folder that the operator gave for it; undefined: there is none. Absent: no folder was given. */
  hostFile?(path: string): Promise<string | undefined>;
  /** Calls when objects of a custom kind are no longer served as they were. @returns for whoever waits no more */
  whenKindEnds?(resource: GroupResource, end: () => void): () => void;
  /** A watch of the Leases of nodes has begun: while there is one, kubelets renew them. */
  leasesWatched?(sink: StreamSink): void;
  /** Has an object of a custom kind shown in another of its versions by the webhook of its definition. */
  convert(call: ConversionCall): Promise<Converted>;
  /** Records what a program came to that somebody has typed to; a view of the past takes nothing. */
  settle?(program: Fact): Promise<void>;
}
