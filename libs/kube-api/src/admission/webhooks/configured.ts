import type { KubeObject } from '#libs/kernel';
import type { AdmissionLookup } from '../chain';
import type { Criteria } from '../matching/match';
import type { MatchCondition } from '../matching/conditions';
import type { Rule } from '../matching/rules';

/** Where a webhook is called: at a URL, or as a Service of the cluster. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number };
  /** Certificates in PEM, base64; those that the system trusts where absent. */
  readonly caBundle?: string;
}

/** `admissionregistration.k8s.io/v1 MutatingWebhook` and `ValidatingWebhook`, with defaults. */
export interface Webhook extends Criteria {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** A webhook of one configuration. */
export interface ConfiguredWebhook {
  readonly hook: Webhook;
  readonly configuration: string;
  /** Tells it from all others: configuration, name, and how many of that name come before it. */
  readonly id: string;
}

const resources = {
  mutating: 'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  validating: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
} as const;

const read = new WeakMap<KubeObject, readonly ConfiguredWebhook[]>();
const none: readonly ConfiguredWebhook[] = [];

/** All webhooks of the cluster in the order in which they are called: configurations by name, each from its beginning. */
export function webhooksOf(lookup: AdmissionLookup, type: keyof typeof resources): readonly ConfiguredWebhook[] {
  const configurations = [...(lookup.list?.(resources[type]) ?? [])];
  if (configurations.length === 0) return none;
  return configurations.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).flatMap(webhooksIn);
}

function webhooksIn(configuration: KubeObject): readonly ConfiguredWebhook[] {
  const known = read.get(configuration);
  if (known) return known;
  const seen = new Map<string, number>();
  const { name } = configuration.metadata;
  const hooks = ((configuration['webhooks'] ?? []) as unknown as Webhook[]).map((hook) => {
    const before = seen.get(hook.name) ?? 0;
    seen.set(hook.name, before + 1);
    return { hook, configuration: name, id: `${name}/${hook.name}/${before}` };
  });
  read.set(configuration, hooks);
  return hooks;
}
