import { strict as assert } from 'node:assert';
import type { Kubectl } from './kubectl-checks';

/** The files of each operator's definitions. */
export interface Definitions {
  certManager: readonly string[];
  prometheus: readonly string[];
}

interface Given {
  kubectl: Kubectl;
  definitions: Definitions;
}

const issuer = { apiVersion: 'cert-manager.io/v1', kind: 'Issuer', metadata: { name: 'own' }, spec: { selfSigned: {} } };
const certificate = (name: string, spec: object): object => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name },
  spec,
});
const monitor = (name: string, endpoint: object): object => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name, labels: { team: 'shop' } },
  spec: { selector: { matchLabels: { app: 'shop' } }, endpoints: [endpoint] },
});
const prometheus = (name: string, spec: object): object => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata: { name },
  spec,
});
const rules = (name: string, ...groups: object[]): object => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name },
  spec: { groups },
});

const fileFlags = (files: readonly string[]): string[] => files.flatMap((file) => ['-f', file]);

/** What it says on the way out. @throws AssertionError when it is not refused */
async function refusal(kubectl: Kubectl, ...args: string[]): Promise<string> {
  const { code, stderr, stdout } = await kubectl.try(...args);
  assert.equal(code, 1, stdout);
  return stderr;
}

/** What whoever installs an operator by its manifests relies on. What is refused is told as kube-apiserver v1.34.4 tells it. */
export const checks: Record<string, (given: Given) => Promise<void>> = {
  'definitions of any length are applied by the server, and established': async ({ kubectl, definitions }) => {
    const files = [...definitions.certManager, ...definitions.prometheus];
    const said = await kubectl.ok('apply', '--server-side', ...fileFlags(files));
    assert.equal(said.match(/serverside-applied$/gm)?.length, files.length);
    const met = await kubectl.ok('wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s');
    assert.equal(met.match(/condition met$/gm)?.length, files.length);
    assert.match(await kubectl.ok('api-resources'), /certificates +cert,certs +cert-manager\.io\/v1 +true +Certificate/);
    assert.match(await kubectl.ok('api-resources', '--categories=cert-manager', '-o', 'name'), /^issuers\.cert-manager\.io$/m);
  },
  'applied again, nothing changes': async ({ kubectl, definitions }) => {
    const version = (): Promise<string> => kubectl.ok('get', 'crd', '-o', 'jsonpath={.items[*].metadata.resourceVersion}');
    const before = await version();
    await kubectl.ok('apply', '--server-side', ...fileFlags(definitions.certManager));
    assert.equal((await kubectl.try('diff', '--server-side', ...fileFlags(definitions.certManager))).code, 0);
    assert.equal(await version(), before);
  },
  'a definition that is too long for an annotation is refused to apply without --server-side': async ({ kubectl, definitions }) => {
    const file = definitions.prometheus.find((name) => name.endsWith('_prometheuses.yaml')) ?? '';
    const said = await refusal(kubectl, 'apply', '-f', file);
    assert.match(said, /metadata\.annotations: Too long: may not be more than 262144 bytes/);
  },
  'explain tells what they say of their fields': async ({ kubectl }) => {
    const said = await kubectl.ok('explain', 'certificate.spec.privateKey');
    assert.match(said, /GROUP: +cert-manager\.io\nKIND: +Certificate\nVERSION: +v1/);
    assert.match(said, /FIELD: privateKey <Object>/);
    assert.match(said, /algorithm\t<string>\n +enum: RSA, ECDSA, Ed25519/);
    assert.match(
      await kubectl.ok('explain', 'issuer.spec.acme.solvers.dns01', '--recursive'),
      /route53\t<Object>\n +accessKeyID\t<string>/,
    );
    assert.match(await refusal(kubectl, 'explain', 'issuer.spec.nothing'), /field "nothing" does not exist/);
  },
  'a certificate is made, filled in, and shown in its columns': async ({ kubectl }) => {
    await kubectl.ok('apply', '-f', kubectl.file(issuer));
    const made = certificate('shop', { secretName: 'shop-tls', dnsNames: ['shop.example'], issuerRef: { name: 'own' } });
    assert.equal(await kubectl.ok('apply', '-f', kubectl.file(made)), 'certificate.cert-manager.io/shop created');
    assert.equal(await kubectl.ok('apply', '-f', kubectl.file(made)), 'certificate.cert-manager.io/shop unchanged');
    assert.match(await kubectl.ok('get', 'cert'), /^NAME +READY +SECRET +AGE\nshop +shop-tls +\d+s$/);
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Issued',
      message: 'up to date',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const status = JSON.stringify({ status: { conditions: [condition] } });
    await kubectl.ok('patch', 'cert', 'shop', '--subresource=status', '--type=merge', '-p', status);
    assert.match(
      await kubectl.ok('get', 'cert', '-o', 'wide'),
      /^NAME +READY +SECRET +ISSUER +STATUS +AGE\nshop +True +shop-tls +own +up to date +\d+s$/,
    );
    assert.match(await kubectl.ok('wait', '--for=condition=Ready', 'cert/shop', '--timeout=10s'), /condition met/);
    assert.match(await kubectl.ok('get', 'cert-manager', '-o', 'name'), /^certificate\.cert-manager\.io\/shop$/m);
    assert.match(await kubectl.ok('describe', 'cert', 'shop'), /Secret Name: +shop-tls/);
  },
  'a certificate that is wrong is refused for all that is wrong': async ({ kubectl }) => {
    const wrong = certificate('wrong', { issuerRef: {}, privateKey: { algorithm: 'DSA', size: 'no' }, usages: ['flying'] });
    const said = await refusal(kubectl, 'create', '-f', kubectl.file(wrong));
    for (const text of [
      'The Certificate "wrong" is invalid:',
      '* spec.issuerRef.name: Required value',
      '* spec.secretName: Required value',
      '* spec.privateKey.algorithm: Unsupported value: "DSA": supported values: "RSA", "ECDSA", "Ed25519"',
      '* spec.privateKey.size: Invalid value: "string": spec.privateKey.size in body must be of type integer: "string"',
      '* spec.usages[0]: Unsupported value: "flying": supported values: "signing", "digital signature", "content commitment"',
    ]) {
      assert.ok(said.includes(text), `${text}\nis not in\n${said}`);
    }
  },
  'a field that is misspelt is refused': async ({ kubectl }) => {
    const misspelt = certificate('misspelt', { secretName: 's', dnsName: ['shop.example'], issuerRef: { name: 'own' } });
    assert.match(await refusal(kubectl, 'apply', '-f', kubectl.file(misspelt)), /strict decoding error: unknown field "spec\.dnsName"/);
  },
  'a server that scrapes is filled in, counted and scaled': async ({ kubectl }) => {
    const made = prometheus('main', { replicas: 2, version: 'v3.0.0', serviceMonitorSelector: {} });
    await kubectl.ok('apply', '--server-side', '-f', kubectl.file(made));
    const filled = await kubectl.ok(
      'get',
      'prom',
      'main',
      '-o',
      'jsonpath={.spec.evaluationInterval} {.spec.portName} {.spec.scrapeInterval}',
    );
    assert.equal(filled, '30s web 30s');
    assert.match(await kubectl.ok('get', 'prom'), /^NAME +VERSION +DESIRED +READY +RECONCILED +AVAILABLE +AGE\nmain +v3\.0\.0 +2 +\d+s$/);
    // Its Scale counts shards, which nobody has asked for yet.
    await kubectl.ok('patch', 'prom', 'main', '--type=merge', '-p', '{"spec":{"shards":1}}');
    assert.match(await kubectl.ok('scale', 'prom/main', '--replicas=3', '--current-replicas=1'), /scaled$/);
    assert.equal(await kubectl.field('prom/main', '.spec.shards'), '3');
    assert.equal(await kubectl.field('prom/main', '.spec.replicas'), '2');
  },
  'monitors and rules are held to their patterns, enumerations and keys': async ({ kubectl }) => {
    await kubectl.ok('apply', '-f', kubectl.file(monitor('shop', { port: 'http', interval: '30s' })));
    assert.equal(await kubectl.ok('get', 'smon', '-l', 'team=shop', '-o', 'name'), 'servicemonitor.monitoring.coreos.com/shop');
    const soon = await refusal(kubectl, 'apply', '-f', kubectl.file(monitor('soon', { port: 'http', interval: 'soon', scheme: 'ftp' })));
    assert.match(soon, /spec\.endpoints\[0\]\.interval: Invalid value: "soon": spec\.endpoints\[0\]\.interval in body should match '\^/);
    assert.match(soon, /spec\.endpoints\[0\]\.scheme: Unsupported value: "ftp": supported values: "http", "https"/);
    const loud = await refusal(kubectl, 'create', '-f', kubectl.file(prometheus('loud', { logLevel: 'loud', retention: 'forever' })));
    assert.match(loud, /spec\.logLevel: Unsupported value: "loud": supported values: "", "debug", "info", "warn", "error"/);
    const alert = { alert: 'Down', expr: 'up == 0', for: '5m' };
    await kubectl.ok('create', '-f', kubectl.file(rules('shop', { name: 'a', rules: [alert, { ...alert, expr: 1 }] })));
    const twice = await refusal(kubectl, 'create', '-f', kubectl.file(rules('twice', { name: 'a' }, { name: 'a' })));
    assert.match(twice, /spec\.groups\[1\]: Duplicate value: \{"name":"a"\}/);
  },
  'a definition goes with its objects, and its kind is served no more': async ({ kubectl }) => {
    await kubectl.ok('get', 'cert', 'shop');
    assert.match(await kubectl.ok('delete', 'crd', 'certificates.cert-manager.io'), /deleted/);
    assert.match(
      await refusal(kubectl, 'get', '--raw', '/apis/cert-manager.io/v1/certificates'),
      /\(NotFound\): the server could not find the requested resource/,
    );
    assert.doesNotMatch(await kubectl.ok('api-resources', '--api-group=cert-manager.io', '--cached=false'), /certificates/);
    assert.equal(await kubectl.ok('get', 'issuers', '-o', 'name'), 'issuer.cert-manager.io/own');
  },
};
