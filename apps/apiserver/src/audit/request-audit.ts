import { goDuration, jsonText, type JsonObject, type KubeObject } from '#libs/kernel';
import { apiVersionOf, applyDefaults, internalError, sortedJson, type AuditAnnotation, type BodyKind, type User } from '#libs/kube-api';
import { isAtLeast, type AuditScope, type AuditStage } from '#libs/kube-api/audit';
import { userInfo } from '../authentication/user';
import type { Answer, StreamAnswer } from '../http/answer';
import { compactIfJson, objectIn, statusIn, writable, type About } from './bodies';
import type { AuditRecord } from './record';

/** What is asked of whoever handles a request that is recorded. Absent: it is not. */
export interface AuditNotes {
  /** The body, read as an object of its kind. */
  submitted(kind: BodyKind, object: KubeObject): void;
  /** The body of a patch. @param json what it says, where it is in another form */
  patched(body: Buffer, json?: object): void;
  /** The body of a deletion. */
  deletedWith(options: JsonObject): void;
  /** The API that was asked for is to be given up. */
  deprecated(): void;
  /** What admission has to say of one write that belongs to the request; said again, it counts anew. */
  annotated(operation: string, annotations: ReadonlyMap<string, AuditAnnotation>): void;
  /** A token was made; its name in its own claims. */
  issued(tokenId: string): void;
}

export type BeginningOfRecord = Pick<
  AuditRecord,
  'auditID' | 'requestURI' | 'verb' | 'user' | 'sourceIPs' | 'userAgent' | 'objectRef' | 'receivedAt'
>;

/** Requests that took longer say for how long, ms. */
const slowMs = 500;

/** What is recorded of one request, from its arrival to its end. */
export class RequestAudit implements AuditNotes {
  private readonly record: AuditRecord;
  private readonly annotations = new Map<string, string>();
  private readonly ofWrites = new Map<string, ReadonlyMap<string, AuditAnnotation>>();
  private isDeprecated = false;
  private isSwitched = false;
  private isOver = false;

  /**
   * @param about absent: the request is for no resource
   * @param isLong it goes on, as a watch does: that its answer has begun is told by itself
   * @param write takes the record as it is at a stage
   */
  constructor(
    private readonly scope: AuditScope,
    begun: BeginningOfRecord,
    private readonly about: About | undefined,
    private readonly isLong: boolean,
    private readonly now: () => number,
    private readonly write: (record: AuditRecord) => void,
  ) {
    const { annotations } = this;
    this.record = { ...begun, level: scope.level, stage: 'RequestReceived', stageAt: begun.receivedAt, annotations };
  }

  received(): void {
    this.at('RequestReceived', this.record.receivedAt);
  }

  actingAs(user: User): void {
    this.record.impersonatedUser = userInfo(user);
  }

  authorized(decision: 'allow' | 'forbid', reason: string): void {
    this.annotations.set('authorization.k8s.io/decision', decision);
    this.annotations.set('authorization.k8s.io/reason', reason);
  }

  submitted(kind: BodyKind, object: KubeObject): void {
    const { name, namespace, uid, resourceVersion } = object.metadata ?? {};
    const reference = (this.record.objectRef ??= {});
    reference.name ||= name;
    reference.namespace ||= namespace;
    reference.uid ||= uid;
    reference.resourceVersion ||= resourceVersion;
    if (!this.takes('Request')) return;
    const {
      kind: _kind,
      apiVersion: _version,
      ...rest
    } = applyDefaults(kind, object) as KubeObject & { kind?: string; apiVersion?: string };
    const apiVersion = apiVersionOf(kind.group, kind.version);
    const whole = { kind: kind.kind, apiVersion, ...rest } as unknown as JsonObject;
    this.record.requestObject = this.bodyOf(jsonText(kind.form ? sortedJson(whole) : whole));
  }

  patched(body: Buffer, json?: object): void {
    if (!this.takes('Request')) return;
    const text = compactIfJson(body.toString()) ?? (json && JSON.stringify(json));
    if (text !== undefined) this.record.requestObject = this.bodyOf(text);
  }

  deletedWith({ kind: _kind, apiVersion: _version, ...options }: JsonObject): void {
    if (!this.takes('Request')) return;
    // As upstream writes it, which does not know it in any version.
    this.record.requestObject = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...options });
  }

  deprecated(): void {
    this.isDeprecated = true;
  }

  annotated(operation: string, annotations: ReadonlyMap<string, AuditAnnotation>): void {
    this.ofWrites.set(operation, annotations);
  }

  issued(tokenId: string): void {
    this.annotations.set('authentication.kubernetes.io/issued-credential-id', `JTI=${tokenId}`);
  }

  /** The answer is known; that of a request that goes on begins with it. */
  answered(answer: Answer | StreamAnswer): void {
    const { record } = this;
    for (const annotations of this.ofWrites.values()) this.annotate(annotations);
    this.ofWrites.clear();
    const status = 'body' in answer ? statusIn(answer) : undefined;
    record.responseStatus = shownStatus(status, answer.status);
    const object = 'body' in answer && this.takes('RequestResponse') ? objectIn(answer) : undefined;
    record.responseObject = object && this.bodyOf(object);
    if (this.isLong) this.at('ResponseStarted', this.now());
  }

  /** The connection is no longer one of HTTP. */
  switched(): this {
    this.isSwitched = true;
    this.answered({ status: 101, contentType: '', open: () => undefined });
    return this;
  }

  /** HTTP has been left, be it only to be told that there is nothing to be had that way. */
  left(): void {
    if (this.isSwitched) return;
    this.switched();
    this.ended();
  }

  /** Nothing more goes to the client. */
  ended(): void {
    if (this.isOver) return;
    this.isOver = true;
    // Of whom nobody knows, upstream tells how the answer began and no more.
    if (this.record.user['username'] === undefined) return;
    const now = this.now();
    const tookMs = now - this.record.receivedAt;
    if (tookMs > slowMs && !this.isLong) this.annotations.set('apiserver.latency.k8s.io/total', goDuration(Math.round(tookMs)));
    if (this.isDeprecated) this.annotations.set('k8s.io/deprecated', 'true');
    this.at('ResponseComplete', now);
  }

  /**
   * It could not be answered as asked.
   * @param answer what the client is told, where that is no fault of the server
   */
  failed(error: Error, answer: Answer | undefined): void {
    if (this.isOver) return;
    if (answer) {
      this.answered(answer);
      this.ended();
      return;
    }
    this.isOver = true;
    const { code, status, reason } = internalError('');
    this.record.responseStatus = { metadata: {}, status, message: `APIServer panic'd: ${error.message}`, reason, code } as JsonObject;
    this.at('Panic', this.now());
  }

  /** What was said first stays. */
  private annotate(annotations: ReadonlyMap<string, AuditAnnotation>): void {
    for (const [key, { value, level }] of annotations)
      if (!this.annotations.has(key) && (!level || this.takes(level))) this.annotations.set(key, value);
  }

  private takes(level: 'Request' | 'RequestResponse'): boolean {
    return isAtLeast(this.scope.level, level);
  }

  /** Undefined: no resource was asked for. */
  private bodyOf(json: string): string {
    return this.about ? writable(json, this.about, this.scope.omitManagedFields) : json;
  }

  private at(stage: AuditStage, stageAt: number): void {
    if (this.scope.omitStages.has(stage)) return;
    this.record.stage = stage;
    this.record.stageAt = stageAt;
    this.write(this.record);
  }
}

/** Of a Status its bounded parts; of any other answer the code alone. */
function shownStatus(found: JsonObject | undefined, code: number): JsonObject {
  const { status, message, reason, details } = found ?? {};
  return { metadata: {}, status, message, reason, details, code } as JsonObject;
}
