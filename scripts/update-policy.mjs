// Makes libs/kube-api/src/authorization/policy/policy.json, the roles and bindings that a Kubernetes API server of the release makes for itself, from
// a recorded list of them (golden/rbac/bootstrap.json), in a short notation: read-policy.ts reads it.
//
//   node scripts/update-policy.mjs [--recorded DIR] [--check]
//
// --recorded  folder with rbac/bootstrap.json (default: the recordings that the tests read)
// --check     writes nothing; exit 1 when the file is not what would be written
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recordingsFolder } from './recordings.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'libs/kube-api/src/authorization/policy/policy.json');
const { values: options } = parseArgs({ options: { recorded: { type: 'string' }, check: { type: 'boolean' } } });
const recorded = JSON.parse(readFileSync(join(options.recorded ?? recordingsFolder(), 'rbac/bootstrap.json'), 'utf8'));
const aggregation = 'rbac.authorization.k8s.io/aggregate-to-';

const itemsOf = (resource) => (Array.isArray(recorded[resource]) ? recorded[resource] : recorded[resource].items);
const keyOf = ({ metadata: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`);
const byKey = (resource, entryOf) => Object.fromEntries(itemsOf(resource).map((object) => [keyOf(object), entryOf(object)]));

/** `get list|core apps|pods deployments|a-name`, or `get|/path /path/*`. */
function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) {
  const lists = nonResourceURLs
    ? [verbs, nonResourceURLs]
    : [verbs, apiGroups.map((group) => group || 'core'), resources, ...(resourceNames ? [resourceNames] : [])];
  return lists.map((list) => list.join(' ')).join('|');
}

/** An aggregated role is filled by its controller. */
function roleEntry({ metadata, rules, aggregationRule }) {
  const [label] = Object.keys(metadata.labels).filter((name) => name.startsWith(aggregation));
  const [selector] = Object.keys(aggregationRule?.clusterRoleSelectors[0].matchLabels ?? {});
  return {
    ...(label ? { aggregatedTo: label.slice(aggregation.length) } : {}),
    ...(selector ? { gathers: selector.slice(aggregation.length) } : { rules: (rules ?? []).map(ruleText) }),
  };
}

const subjectText = ({ kind, namespace, name }) => `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
const bindingEntry = ({ roleRef, subjects = [] }) => ({ role: `${roleRef.kind} ${roleRef.name}`, subjects: subjects.map(subjectText) });

const policy = {
  clusterRoles: byKey('clusterroles', roleEntry),
  clusterRoleBindings: byKey('clusterrolebindings', bindingEntry),
  roles: byKey('roles', ({ rules }) => rules.map(ruleText)),
  roleBindings: byKey('rolebindings', bindingEntry),
};
const text = `${JSON.stringify(policy, undefined, 1)}\n`;
if (!options.check) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('authorization/policy/policy.json is not what the recording says: npm run update:policy');
  process.exitCode = 1;
}
