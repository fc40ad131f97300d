// What the Go declarations of the API types tell and the OpenAPI documents do not: the order of fields, which are pointers,
// which are written even when empty, and the names of their types (they appear in decoding errors).
import { join } from 'node:path';
import { goDeclarations, taggedFields } from './go-declarations.mjs';

/** Package of a definition's prefix (`core.v1`) → folder below the modules' root. */
const foldersOf = (prefix, version) =>
  ({
    'meta.v1': `apimachinery@${version}/pkg/apis/meta/v1`,
    runtime: `apimachinery@${version}/pkg/runtime`,
    version: `apimachinery@${version}/pkg/version`,
    'apiregistration.v1': `kube-aggregator@${version}/pkg/apis/apiregistration/v1`,
    'apiextensions.v1': `apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1`,
  })[prefix] ?? `api@${version}/${prefix.replace('.', '/')}`;

/** All structs and named types of one package. */
async function readPackage(folder) {
  const { bodies, named } = await goDeclarations(folder);
  return { structs: new Map([...bodies].map(([type, body]) => [type, taggedFields(body)])), named };
}

/** Reader of struct facts below a module root (`…/k8s.io`), by short definition name (`core.v1.Container`). */
export function goStructs(root, version) {
  const packages = new Map();
  const packageOf = async (prefix) => {
    if (!packages.has(prefix)) packages.set(prefix, await readPackage(join(root, foldersOf(prefix, version))));
    return packages.get(prefix);
  };
  const imported = { metav1: 'meta.v1', runtime: 'runtime', corev1: 'core.v1', v1: 'core.v1' };

  /** As Go's reflection prints it: named types with the last part of their package, elements of lists and maps likewise. */
  function printed(type, own, named) {
    if (type.startsWith('*')) return printed(type.slice(1), own, named);
    if (type.startsWith('[]')) return `[]${type[2] === '*' ? '*' : ''}${printed(type.slice(2), own, named)}`;
    const map = /^map\[(\w+)\](.*)$/.exec(type);
    if (map) return `map[${printed(map[1], own, named)}]${printed(map[2], own, named)}`;
    if (type === 'byte') return 'uint8';
    if (type.includes('.')) return type.replace(/^(metav1|corev1|apiv1|autoscalingv1)\./, 'v1.');
    if (!/^[A-Z]/.test(type)) return type;
    const under = named.get(type);
    return under && /^[A-Z]/.test(under) ? printed(under, own, named) : `${own}.${type}`;
  }

  async function fieldsOf(definition) {
    const at = definition.lastIndexOf('.');
    const prefix = definition.slice(0, at);
    const { structs, named } = await packageOf(prefix);
    let type = definition.slice(at + 1);
    if (!structs.has(type) && named.has(type)) type = named.get(type);
    const found = structs.get(type);
    if (!found) return undefined;
    const own = prefix.split('.').pop();
    const out = [];
    for (const field of found) {
      if (field.inline) {
        const [alias, name] = field.inline.includes('.') ? field.inline.split('.') : [undefined, field.inline];
        if (name === 'TypeMeta')
          out.push(...['kind', 'apiVersion'].map((json) => ({ json, goType: 'string', pointer: false, omitEmpty: true })));
        else out.push(...(await fieldsOf(`${alias ? imported[alias] : prefix}.${name}`)));
      } else {
        const pointer = field.goType.startsWith('*');
        out.push({
          json: field.json,
          goType: printed(field.goType, own, named),
          pointer,
          omitEmpty: field.omitEmpty,
          omitZero: field.omitZero,
        });
      }
    }
    return out;
  }
  return fieldsOf;
}
