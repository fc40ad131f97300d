/** Structs of which one field says which of the others is set: that field, and each other one by the value that stands for it. */
interface Union {
  readonly discriminator: string;
  readonly fields: Readonly<Record<string, string>>;
}

const localhostProfile: Union = { discriminator: 'type', fields: { localhostProfile: 'LocalhostProfile' } };

const unions: ReadonlyMap<string, Union> = new Map([
  ['core.v1.AppArmorProfile', localhostProfile],
  ['core.v1.SeccompProfile', localhostProfile],
  ['flowcontrol.v1.LimitResponse', { discriminator: 'type', fields: { queuing: 'Queuing' } }],
  ['flowcontrol.v1.PriorityLevelConfigurationSpec', { discriminator: 'type', fields: { exempt: 'Exempt', limited: 'Limited' } }],
  ['flowcontrol.v1.Subject', { discriminator: 'kind', fields: { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' } }],
]);

export function unionExtension(definition: string): Record<string, unknown> {
  const union = unions.get(definition);
  if (!union) return {};
  return { 'x-kubernetes-unions': [{ discriminator: union.discriminator, 'fields-to-discriminateBy': union.fields }] };
}

/** Fields of whose type upstream says nothing more: a reference to it stands alone. */
export const bareReferences: ReadonlySet<string> = new Set([
  'networking.v1.IngressRule.http',
  ...['additionalItems', 'additionalProperties', 'example', 'externalDocs', 'items', 'not'].map(
    (field) => `apiextensions.v1.JSONSchemaProps.${field}`,
  ),
]);
