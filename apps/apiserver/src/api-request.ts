import type { IncomingHttpHeaders } from 'node:http';
import type { ClusterRuntime } from '#libs/control-loop';
import type { User } from './authentication/authenticator';
import type { ObjectWriter } from './events-api/derived-event-writer';
import type { ReadBody } from './http/body';
import type { RequestInfo } from './request-info/request-info';
import type { LiveCluster } from './serving/live-cluster';

/** A request as the HTTP server hands it over, its sender known and allowed. */
export interface ApiRequest {
  info: RequestInfo;
  headers: IncomingHttpHeaders;
  user: User;
  /** Unique for each request; seeds what the write path derives. */
  operation: string;
  auditId: string;
  readBody(): Promise<ReadBody>;
}

export interface ApiServices {
  runtime: ClusterRuntime;
  live: LiveCluster;
  writer: ObjectWriter;
  /** False once the log is lost: nothing that is served can be trusted to be current. */
  isWell(): boolean;
}
