// Whose credentials a step carries: the administrator's, none, a wrong token, or that of the service account of the case.
import type { Client } from '../api/play/client';
import { parse } from '../api/compare/response';
import type { RecordedRequest } from '../api/recording';
import type { CaseRequest, RecordedCase } from './recording';

const serviceAccounts = /^\/api\/v1\/namespaces\/([^/]+)\/serviceaccounts$/;

export class Credentials {
  private actor: string | undefined;
  /** The first token that a step gave. */
  private given: string | undefined;

  constructor(
    private readonly line: RecordedCase,
    private readonly client: Client,
  ) {}

  async of({ credentials }: CaseRequest, request: RecordedRequest): Promise<RecordedRequest> {
    if (credentials === undefined) return request;
    if (credentials === 'none') return { ...request, credentials };
    const token = await this.tokenOf(credentials);
    return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
  }

  /** Keeps the token that an answer gives. */
  learn(body: unknown): void {
    this.given ??= (body as { status?: { token?: string } } | undefined)?.status?.token;
  }

  private async tokenOf(credentials: string): Promise<string> {
    if (credentials === 'wrong token') return 'wrong';
    if (credentials === 'the token' && this.given !== undefined) return this.given;
    return (this.actor ??= await this.tokenOfAccount());
  }

  /** A token of the service account that the set-up made. */
  private async tokenOfAccount(): Promise<string> {
    const made = (this.line.setup ?? []).find(({ path }) => serviceAccounts.test(path));
    if (made === undefined) throw new Error('no service account is made whose token this could be');
    const { metadata } = made.body as { metadata: { name: string } };
    const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    const answer = await this.client.send({ method: 'POST', path: `${made.path}/${metadata.name}/token`, body: request });
    const token = (parse(answer.body.toString()) as { status?: { token?: string } } | undefined)?.status?.token;
    if (answer.status !== 201 || token === undefined) throw new Error(`no token of ${metadata.name} is given: ${answer.body.toString()}`);
    return token;
  }
}
