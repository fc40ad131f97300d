import { isObject, type JsonObject } from '#libs/kernel';
import { convert, noKind, parseJson, parseYaml, plainNumbers } from '../decode';
import { Definitions, releaseDefinitions } from '../schema';
import { aggregateText, invalidValue, required, unsupported, type FieldError } from '../status';
import { isDnsSubdomain } from '../validation/formats';
import { auditLevels, auditStages, type AuditPolicy, type AuditResources, type AuditRule } from './policy';

/** The policy; `problem`: why it is none, in upstream's words. `strange`: fields that nothing is known of, which are not looked at. */
export type ReadAuditPolicy = { readonly policy: AuditPolicy; readonly strange: readonly string[] } | { readonly problem: string };

const group = 'audit.k8s.io';
const kinds = ['Event', 'EventList', 'Policy', 'PolicyList'];

const definitions = new Definitions(
  {
    definitions: {
      'v1.Policy': [
        'kind string',
        'apiVersion string',
        'metadata meta.v1.ObjectMeta',
        'rules []v1.PolicyRule go=[]v1.PolicyRule',
        'omitStages []string go=[]v1.Stage',
        'omitManagedFields bool',
      ],
      'v1.PolicyRule': [
        'level string go=v1.Level',
        'users []string',
        'userGroups []string',
        'verbs []string',
        'resources []v1.GroupResources',
        'namespaces []string',
        'nonResourceURLs []string',
        'omitStages []string go=[]v1.Stage',
        'omitManagedFields bool pointer',
      ],
      'v1.GroupResources': ['group string', 'resources []string', 'resourceNames []string'],
    },
  },
  releaseDefinitions,
);

/** Reads a policy file, YAML or JSON (upstream `LoadPolicyFromBytes`). */
export function readAuditPolicy(text: string): ReadAuditPolicy {
  const parsed = text.trimStart().startsWith('{') ? parseJson(text) : parseYaml(text);
  if (parsed.error !== undefined) return { problem: `failed decoding: ${parsed.error}` };
  const value = plainNumbers(parsed.value) ?? {};
  if (!isObject(value)) return { problem: 'failed decoding: it is no object' };
  const wrong = kindProblem(value);
  if (wrong !== undefined) return { problem: wrong };
  const { object, error, strict } = convert(definitions.get('v1.Policy'), value);
  if (error !== undefined) return { problem: `failed decoding: ${error}` };
  const { rules = [], omitStages, omitManagedFields } = object as unknown as Partial<AuditPolicy>;
  const policy = { rules, omitStages, omitManagedFields };
  const errors = policyErrors(policy);
  if (errors.length > 0) return { problem: aggregateText(errors) };
  return rules.length === 0 ? { problem: 'loaded illegal policy with 0 rules' } : { policy, strange: strict };
}

/** A file may leave out that it is a policy, but not of which version. */
function kindProblem({ kind = 'Policy', apiVersion = '' }: JsonObject): string | undefined {
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return 'failed decoding: kind and apiVersion are no texts';
  if (apiVersion === '') return `unknown group version field ${group}/__internal, Kind=Policy in policy`;
  if (apiVersion !== `${group}/v1` || !kinds.includes(kind)) return `failed decoding: ${noKind(kind, apiVersion)}`;
  return kind === 'Policy' ? undefined : `failed decoding: converting (v1.${kind}) to (audit.Policy): unknown conversion`;
}

function policyErrors({ rules, omitStages }: AuditPolicy): FieldError[] {
  return [...stageErrors(omitStages, 'omitStages'), ...rules.flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`))];
}

function ruleErrors({ level = '' as AuditRule['level'], ...rule }: AuditRule, field: string): FieldError[] {
  const { nonResourceURLs = [], resources = [], namespaces = [], omitStages } = rule;
  const errors: FieldError[] = [];
  if ((level as string) === '') errors.push(required(`${field}.level`));
  else if (!auditLevels.includes(level)) errors.push(unsupported(`${field}.level`, level, auditLevels));
  for (const [index, url] of nonResourceURLs.entries()) errors.push(...urlErrors(url, `${field}.nonResourceURLs[${index}]`));
  for (const of of resources) errors.push(...resourcesErrors(of, `${field}.resources`));
  errors.push(...stageErrors(omitStages, `${field}.omitStages`));
  if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0) {
    const text = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(invalidValue(`${field}.nonResourceURLs`, nonResourceURLs, text));
  }
  return errors;
}

function urlErrors(url: string, field: string): FieldError[] {
  if (url === '*') return [];
  const errors: FieldError[] = [];
  if (!url.startsWith('/')) errors.push(invalidValue(field, url, "non-resource URL rules must begin with a '/' character"));
  if (url.slice(0, -1).includes('*'))
    errors.push(invalidValue(field, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  return errors;
}

function resourcesErrors({ group: name = '', resources = [], resourceNames = [] }: AuditResources, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const wrong = name === '' ? [] : isDnsSubdomain(name);
  if (wrong.length > 0) errors.push(invalidValue(`${field}.group`, name, wrong.join(',')));
  if (resourceNames.length > 0 && resources.length === 0)
    errors.push(invalidValue(`${field}.resourceNames`, resourceNames, 'using resourceNames requires at least one resource'));
  return errors;
}

function stageErrors(stages: readonly string[] = [], field: string): FieldError[] {
  return stages.flatMap((stage, index) =>
    (auditStages as readonly string[]).includes(stage)
      ? []
      : invalidValue(`${field}[${index}]`, stage, `allowed stages are ${auditStages.join(',')}`),
  );
}
