import type { JsonObject } from '#libs/kernel';
import { Definitions, releaseDefinitions } from '../../schema';
import { goQuote } from '../../status';
import { readReply, type CallReply, type ReplyKind } from './reply';
import type { WebhookCall, WebhookOutcome } from './review';

const definitions = new Definitions(
  {
    definitions: {
      'v1.AdmissionReview': ['kind string', 'apiVersion string', 'response v1.AdmissionResponse pointer go=v1.AdmissionResponse'],
      'v1.AdmissionResponse': [
        'uid string always go=types.UID',
        'allowed bool always',
        'status meta.v1.Status pointer',
        'patch bytes',
        'patchType string pointer go=v1.PatchType',
        'auditAnnotations map[]string',
        'warnings []string',
      ],
    },
  },
  releaseDefinitions,
);

const admissionReview: ReplyKind = {
  group: 'admission.k8s.io',
  kind: 'AdmissionReview',
  of: definitions.get('v1.AdmissionReview'),
};

/** What a webhook has answered, by the rules of the API server: what is wrong with it counts as a call that failed. */
export function readReviewAnswer(call: Pick<WebhookCall, 'apiVersion' | 'isMutating'>, uid: string, reply: CallReply): WebhookOutcome {
  const read = readReply({ ...admissionReview, version: call.apiVersion.slice(admissionReview.group.length + 1) }, reply);
  if (typeof read === 'string') return { error: `failed to call webhook: ${read}` };
  const response = read['response'] as Response | undefined;
  const wrong = problemOf(call, uid, read, response);
  if (wrong !== undefined || !response) return { error: `received invalid webhook response: ${wrong ?? ''}` };
  const { allowed, patch, patchType, status, warnings, auditAnnotations } = response;
  const isV1 = call.apiVersion === 'admission.k8s.io/v1';
  const type = isV1 ? patchType : 'JSONPatch';
  return {
    allowed: allowed ?? false,
    ...(patch && call.isMutating
      ? { patch: Buffer.from(patch, 'base64').toString('utf8'), ...(type === undefined ? {} : { patchType: type }) }
      : {}),
    ...(status ? { status } : {}),
    ...(warnings && warnings.length > 0 ? { warnings } : {}),
    ...(auditAnnotations && Object.keys(auditAnnotations).length > 0 ? { auditAnnotations } : {}),
  };
}

interface Response {
  uid?: string;
  allowed?: boolean;
  /** Base64. */
  patch?: string;
  patchType?: string;
  status?: JsonObject;
  warnings?: string[];
  auditAnnotations?: Record<string, string>;
}

/** What is wrong with an answer that could be read (upstream: `VerifyAdmissionResponse`); v1beta1 is not looked at as closely. */
function problemOf(
  { apiVersion, isMutating }: Pick<WebhookCall, 'apiVersion' | 'isMutating'>,
  uid: string,
  review: JsonObject,
  response: Response | undefined,
): string | undefined {
  if (!response) return 'webhook response was absent';
  if (apiVersion !== 'admission.k8s.io/v1') return undefined;
  if ((response.uid ?? '') !== uid) return `expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`;
  const { kind, apiVersion: version } = review as { kind?: string; apiVersion?: string };
  if (kind !== 'AdmissionReview' || version !== apiVersion)
    return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${version ?? '/'}, Kind=${kind ?? ''}`;
  const { patch, patchType } = response;
  if (!isMutating) {
    if (patch) return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (!patch && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}
