// Asks a server to create config maps about which webhooks lie, and tells what its clients see.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lateLies, lies } from './lies.fixture';
import { TestWebhook } from './webhook.fixture';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export type Send = (request: Request) => Promise<Response>;

/** What a client sees of a write about which a webhook lied. */
export interface Seen {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: string;
  readonly warnings?: string;
  /** How often the webhook was called. */
  readonly calls: number;
}

export const types = ['mutating', 'validating'] as const;
export const policies = ['Fail', 'Ignore'] as const;

export interface Case {
  readonly lie: string;
  readonly type: (typeof types)[number];
  readonly policy: (typeof policies)[number];
  readonly timeoutSeconds: number;
  /** What its webhook is called by. */
  readonly path: string;
  /** Its label, and the name of its config map. */
  readonly id: string;
}

export const cases: readonly Case[] = [lies, lateLies].flatMap((some) =>
  Object.keys(some).flatMap((lie, index) =>
    types.flatMap((type) =>
      policies.map((policy) => ({
        lie,
        type,
        policy,
        timeoutSeconds: some === lies ? 10 : 1,
        path: `${some === lies ? 'l' : 'w'}${index}`,
        id: `${some === lies ? 'l' : 'w'}${index}-${type}-${policy}`.toLowerCase(),
      })),
    ),
  ),
);

const byPath = new Map(cases.map(({ path, lie }) => [path, lies[lie] ?? lateLies[lie]]));

const configurations = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';

/** A webhook that lies by the path it is called by. */
export class Liar {
  readonly calls = new Map<string, number>();

  private constructor(private readonly webhook: TestWebhook) {
    webhook.answering = (review, response, url) => {
      const [path = ''] = url.split('?');
      const [, type = '', at = ''] = path.split('/');
      const id = review.request.object?.metadata.name ?? '';
      const before = this.calls.get(id) ?? 0;
      this.calls.set(id, before + 1);
      byPath.get(at)?.({ review, response, isMutating: type === 'mutating', path, before });
    };
  }

  static async start(): Promise<Liar> {
    return new Liar(await TestWebhook.start());
  }

  get port(): number {
    return this.webhook.port;
  }

  configuration(type: Case['type']): object {
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
    const webhooks = cases
      .filter((each) => each.type === type)
      .map(({ path, policy, timeoutSeconds, id }) => ({
        name: `${id}.example.org`,
        rules,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: policy,
        timeoutSeconds,
        objectSelector: { matchLabels: { case: id } },
        clientConfig: this.webhook.client(`/${type}/${path}`),
      }));
    return { metadata: { name: `lies-${type}` }, webhooks };
  }

  close(): void {
    this.webhook.close();
  }
}

export async function configure(send: Send, liar: Liar): Promise<void> {
  for (const type of types) {
    const path = `${configurations}/${type}webhookconfigurations`;
    const { status, body } = await send({ method: 'POST', path, body: JSON.stringify(liar.configuration(type)) });
    if (status !== 201) throw new Error(body);
  }
}

/** What clients saw of each lie, by type and failure policy of its webhook: `mutating Fail`. */
export type SeenOfLies = ReadonlyMap<string, Readonly<Record<string, Seen>>>;

/** Plays all cases, so many at once. */
export async function playAll(played: (each: Case) => Promise<Seen>, atOnce: number): Promise<SeenOfLies> {
  const ofLies = new Map<string, Record<string, Seen>>();
  for (let at = 0; at < cases.length; at += atOnce) {
    const some = cases.slice(at, at + atOnce);
    const seen = await Promise.all(some.map(played));
    some.forEach(({ lie, type, policy }, index) => ofLies.set(lie, { ...ofLies.get(lie), [`${type} ${policy}`]: seen[index] as Seen }));
  }
  return ofLies;
}

/** As it stands in a file: a line for each lie. */
export function linesOf(ofLies: SeenOfLies): string {
  return [...ofLies].map(([lie, seen]) => `${JSON.stringify({ lie, seen })}\n`).join('');
}

/** What was recorded of a real server. */
export function recordedLies(): SeenOfLies {
  const lines = readFileSync(join(__dirname, 'lies.jsonl'), 'utf8').trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { lie: string; seen: Record<string, Seen> });
  return new Map(entries.map(({ lie, seen }) => [lie, seen]));
}

/** Creates the config map of a case. */
export async function play(send: Send, liar: Liar, { id, path }: Case): Promise<Seen> {
  const body = JSON.stringify({ metadata: { name: id, labels: { case: id } }, data: { a: '1' } });
  const { status, headers, body: text } = await send({ method: 'POST', path: maps, body });
  const told = (value: string): string =>
    value
      .replaceAll(String(liar.port), '<port>')
      .replaceAll(`/${path}?`, '/<lie>?')
      .replaceAll(id, '<id>')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
      .replace(/20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
      .replace(/127\.0\.0\.1:\d+-(?:>|\\u003e)/g, '127.0.0.1:<own>->')
      .replace(/([a-zx])\1{199,}/g, (all, letter: string) => `<${all.length} times ${letter}>`)
      .replace(/"resourceVersion":"\d{2,}"/g, '"resourceVersion":"<version>"');
  const { 'retry-after': retryAfter, warning } = headers;
  const warnings = Array.isArray(warning) ? warning.join(', ') : warning;
  return {
    status,
    body: withoutOwners(JSON.parse(told(text)) as Record<string, unknown>),
    ...(retryAfter === undefined ? {} : { retryAfter: String(retryAfter) }),
    ...(warnings === undefined ? {} : { warnings: told(warnings) }),
    calls: liar.calls.get(id) ?? 0,
  };
}

function withoutOwners(body: Record<string, unknown>): unknown {
  const { managedFields: _owners, ...metadata } = body['metadata'] as Record<string, unknown>;
  return { ...body, metadata };
}
