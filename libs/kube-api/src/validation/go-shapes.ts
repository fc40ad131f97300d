import { quantityText } from '#libs/kernel';
import { sortedMap } from '../status/go-value';
import declared from './go-shapes.json';
import type { Loose } from './values';

/**
 * Types of the API server (go-shapes.json, made by scripts/update-shapes.mjs). A field is `Field=jsonName:kind`. Kinds: `s` text,
 * `i` number, `b` boolean, `p` optional simple value, `l` list of simple values, `m` map, `q` quantity, `r` map of quantities,
 * `j` number or text, `t` label selector; with a type behind them: `S` struct, `P` optional struct, `L` list of structs.
 * `=jsonName:w` stands for the fields of a struct that are present, as on the wire.
 */
export type GoType = keyof typeof declared.shapes;

interface ShapeField {
  readonly name: string;
  readonly json: string;
  readonly kind: string;
  readonly type: GoType;
}

const shapes = new Map<GoType, ShapeField[]>();

function shapeOf(type: GoType): ShapeField[] {
  const known = shapes.get(type);
  if (known) return known;
  const fields = declared.shapes[type].split(' ').map((text): ShapeField => {
    const [label = '', kinds = ''] = text.split(':');
    const [name = '', json = ''] = label.split('=');
    const [kind = '', inner = ''] = kinds.split('/');
    return { name, json, kind, type: inner as GoType };
  });
  shapes.set(type, fields);
  return fields;
}

/** A value as the API server's internal type of that name prints it in JSON: every field, in order, absent ones as zero. */
export function goShape(type: GoType, value: Loose): Record<string, unknown> {
  const shaped: Record<string, unknown> = {};
  for (const field of shapeOf(type)) {
    if (field.kind === 'w') Object.assign(shaped, onWire(value?.[field.json]));
    else shaped[field.name] = shapedValue(field, value?.[field.json]);
  }
  return shaped;
}

/** What is written of metadata: nothing that is empty. */
function onWire(fields: Loose): Record<string, unknown> {
  const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries((fields ?? {}) as Record<string, unknown>).filter(([, value]) => !isEmpty(value)));
}

function shapedValue({ kind, type }: ShapeField, value: Loose): unknown {
  const present = value !== undefined && value !== null;
  switch (kind) {
    case 's':
      return present ? value : '';
    case 'i':
      return present ? value : 0;
    case 'b':
      return value === true;
    case 'q':
      return quantityText(value ?? '0') ?? '0';
    case 'j':
      return present ? value : 0;
    case 'm':
      return present ? sortedMap(value) : null;
    case 'r':
      return present ? quantities(value) : null;
    case 't':
      return present ? goSelector(value) : null;
    case 'S':
      return goShape(type, value);
    case 'P':
      return present ? goShape(type, value) : null;
    case 'L':
      return present ? value.map((item: Loose) => goShape(type, item)) : null;
    default:
      return present ? value : null;
  }
}

function quantities(map: Record<string, unknown>): Record<string, unknown> {
  const sorted = sortedMap(map);
  for (const key of Object.keys(sorted)) sorted[key] = quantityText(sorted[key]) ?? '0';
  return sorted;
}

/** `metav1.LabelSelector`, which prints as on the wire: empty parts left out, labels sorted. */
export function goSelector(selector: Loose): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  if (Object.keys(selector?.matchLabels ?? {}).length > 0) shown.matchLabels = sortedMap(selector.matchLabels);
  if (selector?.matchExpressions?.length > 0) {
    shown.matchExpressions = selector.matchExpressions.map(({ key = '', operator = '', values }: Loose) =>
      values?.length > 0 ? { key, operator, values } : { key, operator },
    );
  }
  return shown;
}

/** A pod's spec: the host's namespaces are part of the security context inside. */
export function goPodSpec(spec: Loose): Record<string, unknown> {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext } = spec ?? {};
  const context = { ...securityContext, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return goShape('PodSpec', { ...spec, securityContext: context });
}

/** A template of pods: its metadata as on the wire, in which maps are sorted. */
export function goPodTemplate({ metadata, spec }: Loose): Record<string, unknown> {
  const shown = { ...metadata };
  for (const key of ['labels', 'annotations']) if (shown[key]) shown[key] = sortedMap(shown[key] as Record<string, string>);
  return { ...goShape('PodTemplateSpec', { metadata: shown }), Spec: goPodSpec(spec) };
}
