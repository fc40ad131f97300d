// Writes what the apps of docker-compose.yml share, once: certificates, the administrator's token, the first nodes; and a
// kubeconfig for the host. Usage: node docker/compose-settings.mjs FOLDER PORT
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const [folder, port] = process.argv.slice(2);
const optionsPath = join(folder, 'options.json');

if (!existsSync(optionsPath)) {
  const { createCertificates } = require('../dist/apps/apiserver/src/index.js');
  const { kubeconfigText } = require('../dist/apps/cli/src/up/kubeconfig.js');
  const certificates = await createCertificates({
    hosts: ['localhost', '127.0.0.1', '::1', 'apiserver', 'kubernetes.default.svc'],
    now: Date.now(),
  });
  const token = randomBytes(24).toString('base64url');
  const options = {
    cluster: 'local',
    seed: randomBytes(8).toString('hex'),
    apiserver: { host: '0.0.0.0', port: 7443, token, ...certificates },
    controllerManager: { nodes: { count: 3, cpu: '4', memory: '8Gi', pods: 110 } },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'kubeconfig'), kubeconfigText({ url: `https://127.0.0.1:${port}`, ca: certificates.ca, token }), {
    mode: 0o600,
  });
  writeFileSync(optionsPath, `${JSON.stringify(options, null, 2)}\n`, { mode: 0o600 });
}
