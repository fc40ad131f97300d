import { expect, it } from 'vitest';
import { readAuditPolicy } from './read-policy';

const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

function problemIn(text: string): string | undefined {
  const read = readAuditPolicy(text);
  return 'problem' in read ? read.problem : undefined;
}

it('is read from YAML and from JSON', () => {
  const rules = [{ level: 'Request', resources: [{ group: '', resources: ['pods'] }] }];
  const expected = { policy: { rules: [{ level: 'Request', resources: [{ resources: ['pods'] }] }] }, strange: [] };
  expect(readAuditPolicy(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }))).toEqual(expected);
  expect(readAuditPolicy(`${head}rules:\n- level: Request\n  resources:\n  - group: ""\n    resources: [pods]\n`)).toEqual(expected);
});

it('tells of fields that nothing is known of', () => {
  expect(readAuditPolicy(`${head}foo: 1\nrules:\n- {level: None, resource: 2}\n`)).toMatchObject({
    policy: { rules: [{ level: 'None' }] },
    strange: ['unknown field "foo"', 'unknown field "rules[0].resource"'],
  });
});

// What kube-apiserver v1.34.4 says of the same files.
it.each([
  ['rules: [{level: None}]\nkind: Policy\n', 'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy'],
  ['', 'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy'],
  [
    'apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n',
    'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme "pkg/runtime/scheme.go:110"',
  ],
  ['apiVersion: audit.k8s.io/v1\nkind: Event\n', 'failed decoding: converting (v1.Event) to (audit.Policy): unknown conversion'],
  [`${head}rules: []\n`, 'loaded illegal policy with 0 rules'],
  [`${head}rules: {}\n`, 'failed decoding: json: cannot unmarshal object into Go struct field Policy.rules of type []v1.PolicyRule'],
  [
    `${head}rules:\n- {level: 3, users: x}\n`,
    'failed decoding: json: cannot unmarshal number into Go struct field PolicyRule.rules.level of type v1.Level',
  ],
  [
    `${head}rules:\n- {level: Foo}\n`,
    'rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse"',
  ],
  [
    `${head}omitStages: [Nope]\nrules:\n- {}\n- {level: None, nonResourceURLs: [x, /a*b, /a*], namespaces: [a]}\n- {level: None, resources: [{group: a, resourceNames: [x]}]}\n`,
    '[omitStages[0]: Invalid value: "Nope": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic, ' +
      'rules[0].level: Required value, ' +
      `rules[1].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin with a '/' character, ` +
      `rules[1].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule, ` +
      'rules[1].nonResourceURLs: Invalid value: ["x","/a*b","/a*"]: rules cannot apply to both regular resources and non-resource URLs, ' +
      'rules[2].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource]',
  ],
])('refuses %j', (text, problem) => {
  expect(problemIn(text)).toBe(problem);
});
