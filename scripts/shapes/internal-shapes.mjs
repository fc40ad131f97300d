// The API server's internal types, which its error texts show as JSON. Their declarations name no JSON, so a field is shown under its
// name in Go, absent ones as the zero of their type. What the same field is called on the wire, the published types tell.
import { join } from 'node:path';
import { goDeclarations, taggedFields } from '../schemas/go-declarations.mjs';

/** Types of other packages, by how they are shown; see the notation in libs/kube-api/src/validation/go-shapes.ts. */
const elsewhere = {
  'resource.Quantity': 'q',
  '*resource.Quantity': 'p',
  'intstr.IntOrString': 'j',
  '*intstr.IntOrString': 'p',
  '*metav1.LabelSelector': 't',
  '*metav1.Time': 'p',
  'types.UID': 's',
  '[]types.UID': 'l',
  'api.ConditionStatus': 's',
  'api.PodConditionType': 's',
  'map[string]string': 'm',
  // Of core, which is read by itself.
  '*api.PersistentVolumeSpec': 'P/PersistentVolumeSpec',
  'map[ResourceName]resource.Quantity': 'r',
  'map[QualifiedName]resource.Quantity': 'r',
  '*types.UID': 'p',
  'runtime.RawExtension': 'p',
  '*runtime.RawExtension': 'p',
  '*core.NodeSelector': 'P/NodeSelector',
};
const simple = { string: 's', bool: 'b', int: 'i', int32: 'i', int64: 'i' };

/** The fields of an internal struct, in order. A line that is neither field, remark nor empty is refused. */
function internalFields(type, body) {
  const fields = [];
  const lines = body.replace(/\/\*[\s\S]*?\*\//g, '').split('\n');
  for (const line of lines.map((text) => text.replace(/\/\/.*/, '').trim()).filter((text) => text !== '')) {
    const match = /^(?:(\w+)\s+)?([*\w.[\]]+)$/.exec(line);
    if (!match) throw new Error(`${type}: no field is read from "${line}"`);
    const [, name, goType] = match;
    fields.push(name === undefined ? { embedded: goType } : { name, goType });
  }
  return fields;
}

/** `DNSConfig` → `dnsConfig`, `HostIP` → `hostIP`, `TTY` → `tty`: what fields are called on the wire, also those of another struct there. */
function usualJsonName(name) {
  const capitals = /^[A-Z]+/.exec(name)?.[0].length ?? 0;
  const lowered = capitals > 1 && capitals < name.length ? capitals - 1 : capitals;
  return name.slice(0, lowered).toLowerCase() + name.slice(lowered);
}

/**
 * Shapes of structs and of all they are made of.
 * @param modules folder of the Go modules (`…/k8s.io`)
 * @param version of the release, `1.34.4`
 * @param groups what is shown, by group and version of its published types: `{'core/v1': ['Taint', …]}`
 * @returns fields by name of the type, `Key=key:s Value=value:s`
 */
export async function internalShapes(modules, version, groups) {
  const shapes = {};
  for (const [groupVersion, types] of Object.entries(groups)) {
    const [group] = groupVersion.split('/');
    const internal = await goDeclarations(join(modules, `kubernetes@v${version}/pkg/apis/${group}`));
    const published = await goDeclarations(join(modules, `api@v0.${version.slice(2)}/${groupVersion}`));
    const found = shapesOf(types, internal, published);
    for (const [type, shape] of Object.entries(found)) {
      if (shapes[type] !== undefined && shapes[type] !== shape) throw new Error(`${type} has another shape in ${group}`);
      shapes[type] = shape;
    }
  }
  return shapes;
}

function shapesOf(types, internal, published) {
  const shapes = {};
  const wanted = [...types];
  for (let type = wanted.shift(); type !== undefined; type = wanted.shift()) {
    if (shapes[type] !== undefined) continue;
    if (!internal.bodies.has(type)) throw new Error(`there is no struct ${type}`);
    shapes[type] = fieldsOf(type, internal, published, wanted).join(' ');
  }
  return shapes;
}

/** Fields of embedded structs stand where those are: so they are shown. */
function fieldsOf(type, internal, published, wanted) {
  const onTheWire = new Map(publishedFields(type, published).map(({ name, goType, json }) => [name ?? goType, json]));
  return internalFields(type, internal.bodies.get(type)).flatMap((field) => {
    if (field.embedded && internal.bodies.has(field.embedded)) return fieldsOf(field.embedded, internal, published, wanted);
    const name = field.name ?? field.embedded;
    const json = onTheWire.get(name) ?? usualJsonName(name);
    // Its declaration does say how it is written: the fields that are present are shown as on the wire.
    if (field.embedded === 'metav1.ObjectMeta') return [`=${json}:w`];
    if (field.embedded) throw new Error(`${type}: nothing is known of ${field.embedded}`);
    return [`${name}=${json}:${kindOf(type, field, internal, wanted)}`];
  });
}

function publishedFields(type, published) {
  return taggedFields(published.bodies.get(type) ?? '').flatMap((field) =>
    field.inline ? publishedFields(field.inline, published) : [field],
  );
}

function kindOf(type, { name, goType }, internal, wanted) {
  const underlying = (written) => {
    const under = internal.named.get(written);
    return under === undefined ? written : underlying(under);
  };
  const resolved = underlying(goType);
  const known = elsewhere[resolved] ?? simple[resolved];
  if (known !== undefined) return known;
  const [, form, item] = /^(\*|\[\])?(\w+)$/.exec(resolved) ?? [];
  if (internal.bodies.has(item)) {
    wanted.push(item);
    return `${form === '*' ? 'P' : form === '[]' ? 'L' : 'S'}/${item}`;
  }
  if (form && simple[underlying(item)] !== undefined) return form === '*' ? 'p' : 'l';
  throw new Error(`${type}.${name}: nothing is known of ${goType}`);
}
