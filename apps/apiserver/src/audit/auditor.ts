import type { IncomingHttpHeaders } from 'node:http';
import { isOfResource, type Attributes, type User } from '#libs/kube-api';
import { auditScopeOf, type AuditPolicy } from '#libs/kube-api/audit';
import { attributesOf } from '../authentication/authorization';
import { anonymous, userInfo } from '../authentication/user';
import { isLongRunning } from '../request-info/long-running';
import type { RequestInfo } from '../request-info/request-info';
import { auditLine, type AuditFormat } from './record';
import { RequestAudit } from './request-audit';
import { sourceIps } from './source-ips';

/** Where lines go. */
export interface AuditSink {
  write(line: string): void;
  close(): void;
}

/** A request as it comes. */
export interface ArrivedRequest {
  readonly auditId: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the client. */
  readonly from: string | undefined;
}

const userAgentMax = 1_024;

/** Records requests, as a policy says. */
export class Auditor {
  /** @param now ms since the epoch, of the cluster */
  constructor(
    private readonly policy: AuditPolicy,
    private readonly format: AuditFormat,
    private readonly sink: AuditSink,
    readonly now: () => number,
  ) {}

  /**
   * What is to be recorded of a request from now on; undefined: nothing.
   * @param user who has sent it; undefined: nobody knows
   */
  begin(request: ArrivedRequest, info: RequestInfo, user: User | undefined, receivedAt: number): RequestAudit | undefined {
    const attributes = attributesOf(user ?? anonymous, info);
    const scope = auditScopeOf(this.policy, attributes, user);
    if (!scope) return undefined;
    const about = isOfResource(attributes) ? attributes : undefined;
    const { auditId: auditID, target, headers, from } = request;
    const begun = {
      auditID,
      requestURI: withoutToken(target),
      verb: attributes.verb,
      user: user ? userInfo(user) : {},
      sourceIPs: sourceIps(headers, from),
      userAgent: shortened(headers['user-agent']),
      ...(about ? { objectRef: referenceTo(about) } : {}),
      receivedAt,
    };
    const audit = new RequestAudit(scope, begun, about, !user || isLongRunning(info), this.now, (record) =>
      this.sink.write(auditLine(record, this.format)),
    );
    if (user) audit.received();
    return audit;
  }

  close(): void {
    this.sink.close();
  }
}

function referenceTo({ resource, namespace, name, group, version, subresource }: Extract<Attributes, { resource: string }>) {
  return { resource, namespace, name, apiGroup: group, apiVersion: version, subresource };
}

function shortened(agent: string | undefined): string | undefined {
  return agent !== undefined && agent.length > userAgentMax ? `${agent.slice(0, userAgentMax)}...TRUNCATED` : agent;
}

/** Some send their token in the query, where it is of no use; it is not to be written all the same. */
function withoutToken(target: string): string {
  return target.includes('access_token=') ? target.replace(/([?&]access_token=)[^&]*/g, '$1') : target;
}
