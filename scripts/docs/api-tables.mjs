// The tables of docs/api.md, from the kinds that libs/kube-api knows.
import { table } from './generated-page.mjs';

const code = (text) => `\`${text}\``;
const order = ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete', 'deletecollection'];

function verbsOf({ verbs }) {
  const known = order.filter((verb) => verbs.includes(verb));
  if (known.length === order.length) return 'all';
  const lacking = order.filter((verb) => !verbs.includes(verb));
  return lacking.length < 3 ? `all but ${lacking.join(', ')}` : known.join(', ');
}

/** @param isSubresourceServed as libs/kube-api exports it */
export function servedKinds(kinds, isSubresourceServed) {
  const rows = kinds
    .filter(({ served }) => served)
    .map((kind) => [
      code(kind.resource),
      kind.kind,
      code(kind.apiVersion),
      kind.namespaced ? 'namespace' : 'cluster',
      verbsOf(kind),
      kind.subresources
        .filter(({ name }) => isSubresourceServed(kind, name))
        .map(({ name }) => code(name))
        .join(' '),
      [...kind.fields.labels.keys()]
        .filter((label) => !label.startsWith('metadata.'))
        .map(code)
        .join(' '),
    ]);
  return table(['Resource', 'Kind', 'Version', 'Scope', 'Verbs', 'Subresources', 'Field selectors beside name and namespace'], rows);
}

/** One line a group version: what is known by name and answered with a 404 that says so. */
export function unservedKinds(kinds) {
  const groups = new Map();
  for (const { served, apiVersion, resource } of kinds) if (!served) groups.set(apiVersion, [...(groups.get(apiVersion) ?? []), resource]);
  return table(
    ['Version', 'Resources'],
    [...groups].map(([apiVersion, names]) => [code(apiVersion), names.join(', ')]),
  );
}

export function unservedSubresources(kinds, isSubresourceServed) {
  const names = kinds
    .filter(({ served }) => served)
    .flatMap((kind) =>
      kind.subresources.filter(({ name }) => !isSubresourceServed(kind, name)).map(({ name }) => code(`${kind.resource}/${name}`)),
    );
  return names.join(', ');
}

/** The generated parts of docs/api.md, by the name of their marks. */
export function apiParts({ releaseKinds, isSubresourceServed }) {
  const resourceKinds = releaseKinds.all;
  const isServed = (kind, name) => isSubresourceServed(kind, name);
  return {
    'kinds served': servedKinds(resourceKinds, isServed),
    'kinds not served': unservedKinds(resourceKinds),
    'subresources not served': `${unservedSubresources(resourceKinds, isServed)}.`,
  };
}
