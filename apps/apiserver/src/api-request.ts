import type { IncomingHttpHeaders } from 'node:http';
import type { ClusterRuntime } from '#libs/control-loop';
import type { WaitSignal } from '#libs/event-log';
import type { Access, User } from '#libs/kube-api';
import type { Aggregation } from './aggregation/aggregation';
import type { AuditNotes } from './audit/request-audit';
import type { AccountTokens } from './authentication/account-tokens';
import type { ReviewToken } from './authentication/reviews';
import type { ObjectWriter } from './events-api/derived-event-writer';
import type { ReadBody } from './http/body';
import type { ComponentHealth } from './reading/component-statuses';
import type { RequestInfo } from './request-info/request-info';
import type { LiveCluster } from './serving/live-cluster';

/** A request as the HTTP server hands it over, its sender known and allowed. */
export interface ApiRequest {
  info: RequestInfo;
  headers: IncomingHttpHeaders;
  user: User;
  /** Who sent it, where the user is somebody whom he acts for. */
  impersonator?: User;
  /** Unique for each request; seeds what the write path derives. */
  operation: string;
  auditId: string;
  readBody(): Promise<ReadBody>;
  /** Absent: the request is not recorded. */
  audit?: AuditNotes;
  /** Of a write: aborted when nobody waits for the answer any more. */
  signal?: WaitSignal;
  /** Address of the client. */
  from?: string;
  /** Calls back when the answer is out, or nobody is there any more to take it. */
  whenGone?(callback: () => void): void;
}

export interface ApiServices extends ComponentHealth {
  /** What other servers answer; absent: none does. */
  aggregation?: Aggregation;
  runtime: ClusterRuntime;
  live: LiveCluster;
  writer: ObjectWriter;
  /** Whose a token is that somebody asks about. */
  reviewToken: ReviewToken;
  /** Who may do what. */
  access: Access;
  /** The tokens of service accounts. */
  tokens: AccountTokens;
  /** A pod's usual token is taken for longer than it says; absent: it is. */
  extendsExpiration?: boolean;
  /** Why the event log cannot be used now; undefined when it can. Answers within two seconds. */
  trouble(): Promise<string | undefined>;
}
