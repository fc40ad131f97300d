import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';

const root = join(__dirname, '..', '..', '..');

interface Service {
  image?: string;
  command?: string;
  environment?: Record<string, string>;
  profiles?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  networks?: string[] | Record<string, { ipv4_address: string }>;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  networks: Record<string, unknown>;
}

const document = parseDocument(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
const compose = document.toJS() as Compose;
const apps = ['apiserver', 'priority-admission', 'scheduler', 'kubelet', 'pdb-controller', 'controller-manager'];

/** There is no container engine where the tests run: this holds the file's text to what it promises, no more. */
describe('docker-compose.yml', () => {
  it('is YAML, and names nothing that is not in it', () => {
    expect(document.errors).toEqual([]);
    for (const [name, service] of Object.entries(compose.services)) {
      for (const needed of Object.keys(service.depends_on ?? {})) expect(compose.services, `${name} depends on`).toHaveProperty(needed);
      const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {});
      for (const network of networks) expect(compose.networks, `${name} is in`).toHaveProperty(network);
      for (const volume of (service.volumes ?? []).map((each) => each.split(':')[0]!)) {
        if (!volume.startsWith('.')) expect(compose.volumes, `${name} keeps`).toHaveProperty(volume);
      }
    }
  });

  it('starts every app against the store, by its own program', () => {
    for (const app of apps) {
      const service = compose.services[app]!;
      expect(service.command).toBe(`node dist/apps/${app}/src/main.js`);
      expect(service.environment!['KUBEREEL_EVENT_STORE']).toMatch(/esdb:\/\/store:2113\?tls=false/);
      expect(service.depends_on!['store']).toEqual({ condition: 'service_healthy' });
      expect(service.profiles).toBeUndefined();
    }
  });

  it('runs one store node by default and three in the profile, at a pinned release, with a health check', () => {
    const stores = Object.entries(compose.services).filter(([name]) => name.startsWith('store'));
    expect(stores.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['store', undefined],
      ['store-1', ['cluster']],
      ['store-2', ['cluster']],
      ['store-3', ['cluster']],
    ]);
    for (const [, { image, healthcheck, environment }] of stores) {
      expect(image).toMatch(/:-[a-z]+\/[a-z]+:\d+\.\d+\.\d+\}$/);
      expect(healthcheck!.test.join(' ')).toContain('/health/live');
      expect(environment!['KURRENTDB_INSECURE']).toBe('true');
    }
  });

  it('the three nodes know one another', () => {
    const nodes = ['store-1', 'store-2', 'store-3'].map((name) => compose.services[name]!);
    const addressOf = ({ networks }: Service): string =>
      (networks as Record<string, { ipv4_address: string }>)['control-plane']!.ipv4_address;
    for (const node of nodes) {
      const others = nodes.filter((other) => other !== node).map((other) => `${addressOf(other)}:2113`);
      expect(node.environment).toMatchObject({ KURRENTDB_CLUSTER_SIZE: '3', KURRENTDB_REPLICATION_IP: addressOf(node) });
      expect(node.environment!['KURRENTDB_GOSSIP_SEED']!.split(',')).toEqual(others);
    }
  });

  it('builds its image from files that are there', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^FROM node:\d+\.\d+\.\d+-/m);
    expect(existsSync(join(root, 'docker', 'compose-settings.mjs'))).toBe(true);
    expect(readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')).toContain('node_modules');
  });
});
