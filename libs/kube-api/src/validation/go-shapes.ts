import { canonicalQuantity } from '#libs/kernel';
import { sortedMap } from '../status/go-value';
import { goShapeData } from './go-shape-data';
import type { Loose } from './values';

interface ShapeField {
  readonly name: string;
  readonly json: string;
  readonly kind: string;
  readonly type: string;
}

const shapes = new Map<string, ShapeField[]>();

/** `DNSConfig` → `dnsConfig`, `HostIP` → `hostIP`, `TTY` → `tty`. */
function jsonName(name: string): string {
  const capitals = /^[A-Z]+/.exec(name)?.[0].length ?? 0;
  const lowered = capitals > 1 && capitals < name.length ? capitals - 1 : capitals;
  return name.slice(0, lowered).toLowerCase() + name.slice(lowered);
}

function shapeOf(type: string): ShapeField[] {
  const known = shapes.get(type);
  if (known) return known;
  const fields = (goShapeData[type] ?? '').split(' ').map((text): ShapeField => {
    const [label = '', kinds = ''] = text.split(':');
    const [name = '', json = jsonName(name)] = label.split('=');
    const [kind = '', inner = ''] = kinds.split('/');
    return { name, json, kind, type: inner };
  });
  shapes.set(type, fields);
  return fields;
}

/** A value as the API server's internal type of that name prints it in JSON: every field, in order, absent ones as zero. */
export function goShape(type: string, value: Loose): Record<string, unknown> {
  const shaped: Record<string, unknown> = {};
  for (const field of shapeOf(type)) shaped[field.name] = shapedValue(field, value?.[field.json]);
  return shaped;
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
      return canonicalQuantity(value ?? '0') ?? '0';
    case 'j':
      return present ? value : 0;
    case 'l':
      return present && value.length > 0 ? value : null;
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
      return present && value.length > 0 ? value.map((item: Loose) => goShape(type, item)) : null;
    default:
      return present ? value : null;
  }
}

function quantities(map: Record<string, unknown>): Record<string, unknown> {
  const sorted = sortedMap(map);
  for (const key of Object.keys(sorted)) sorted[key] = canonicalQuantity(sorted[key]) ?? '0';
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
