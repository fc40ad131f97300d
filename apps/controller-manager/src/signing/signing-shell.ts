import type { AccountKeys } from '#libs/app-shell';
import type { Authority } from '#libs/app-shell/certificates';
import type { ClusterRuntime, Writer } from '#libs/control-loop';
import type { SignatureCall } from '#libs/controllers/certificates';
import type { RecordedEvent } from '#libs/event-log';
import type { KubeObject } from '#libs/kernel';
import { readCertificateRequest, type WriteRequest } from '#libs/kube-api';
import { secretTokenClaims, signJwt } from '#libs/kube-api/tokens';
import type { Subscription } from 'rxjs';

/** How often a signature is made anew where somebody else has written to the object meanwhile. */
const attemptsMax = 5;

export interface Keys {
  /** Of tokens of service accounts. */
  accounts: AccountKeys;
  /** Signs certificates; absent: nobody asks. */
  authority?: Authority;
  /** PEM of the CA that clients of the API server are told of. */
  rootCa?: string;
}

/**
 * Holds the keys that pure controllers have none of: once a request for a signature is in the log, signs, and writes the result to the
 * object. What was asked by a process of before is asked again by the next.
 */
export class SigningShell {
  private readonly unsent = new Map<string, SignatureCall>();
  private subscriptions: Subscription | undefined;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly keys: Keys,
    /** Told where a key cannot be used. */
    private readonly onError: (error: Error) => void,
  ) {}

  start(): void {
    this.subscriptions = this.runtime.calls$.subscribe(({ ask, request }) => {
      if (isSignatureCall(request)) this.unsent.set(ask, request);
    });
    const folded = this.runtime.folded$.subscribe((appends) => {
      for (const { change, events } of appends) if (!change) for (const event of events) this.take(event);
    });
    this.subscriptions.add(folded);
  }

  stop(): void {
    this.subscriptions?.unsubscribe();
    this.unsent.clear();
  }

  private take(event: RecordedEvent): void {
    if (event.type !== 'SignatureAsked') return;
    const ask = event.data.ask as string;
    const call = this.unsent.get(ask);
    if (!call) return;
    this.unsent.delete(ask);
    void this.answer(event, call);
  }

  private async answer(asked: RecordedEvent, call: SignatureCall): Promise<void> {
    this.runtime.pending++;
    try {
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const request = await this.signed(call);
        if (!request) return;
        const ask = asked.data.ask as string;
        const correlationId = asked.metadata.$correlationId as string;
        const origin = { actor: 'signing', operation: `${ask}/signature/${attempt}`, correlationId, causationId: asked.id };
        const { kind, ...result } = await this.writer.write(request, origin);
        if (kind !== 'refused' || (result as { status: { code?: number } }).status.code !== 409) return;
      }
    } catch (error) {
      this.onError(error as Error);
    } finally {
      this.runtime.pending--;
    }
  }

  /** The object with its signature; undefined: it needs none any more. */
  private async signed({ resource, namespace, name, uid }: SignatureCall): Promise<WriteRequest | undefined> {
    const find = (): KubeObject | undefined => {
      const found = this.runtime.state.get(resource, namespace, name);
      return found?.metadata.uid === uid ? found : undefined;
    };
    if (resource !== 'secrets') return this.certified(find());
    // A new key takes its time; the object is looked at behind it.
    const key = await this.keys.accounts.signingKey();
    const secret = find();
    const owner = secret?.metadata.annotations?.['kubernetes.io/service-account.name'] ?? '';
    const account = secret && this.runtime.state.get('serviceaccounts', namespace, owner);
    if (!secret || !account) return undefined;
    const { rootCa } = this.keys;
    const held = (secret.data ?? {}) as Record<string, string>;
    const data = {
      ...held,
      ...(rootCa === undefined ? {} : { 'ca.crt': encoded(rootCa) }),
      namespace: held.namespace || encoded(namespace ?? ''),
      token: held.token || encoded(signJwt(secretTokenClaims(account, name), key)),
    };
    const annotations = { ...secret.metadata.annotations, 'kubernetes.io/service-account.uid': account.metadata.uid };
    const object = { ...secret, metadata: { ...secret.metadata, annotations }, data } as unknown as KubeObject;
    return { verb: 'update', target: { resource, namespace, name }, object, options };
  }

  private async certified(request: KubeObject | undefined): Promise<WriteRequest | undefined> {
    const { authority } = this.keys;
    const { usages = [], expirationSeconds, request: asked = '' } = (request?.spec ?? {}) as Spec;
    const read = readCertificateRequest(asked);
    if (!request || !authority || typeof read === 'string' || request.status?.certificate) return undefined;
    const { signRequest } = await import('#libs/app-shell/certificates');
    // Certificates are of real time, whatever the cluster's clock says: others look at them.
    const certificate = signRequest(read, { usages, expirationSeconds, now: Date.now() }, authority);
    const object = { ...request, status: { ...request.status, certificate: encoded(certificate) } } as unknown as KubeObject;
    const target = { resource: 'certificatesigningrequests.certificates.k8s.io', name: request.metadata.name };
    return { verb: 'update', target, subresource: 'status', object, options };
  }
}

const options = { fieldManager: 'kube-controller-manager' };

interface Spec {
  usages?: string[];
  expirationSeconds?: number;
  request?: string;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function isSignatureCall(request: unknown): request is SignatureCall {
  const { resource } = (request ?? {}) as { resource?: unknown };
  return resource === 'secrets' || resource === 'certificatesigningrequests.certificates.k8s.io';
}
