import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Missing } from './client';
import { Component } from './component';
import { checks as managerChecks, managerFlags } from './controller-manager-checks';
import { runChecks } from './outcomes';
import { here } from './program';
import { checks as schedulerChecks, Scheduled } from './scheduler-checks';
import { build, cacheFolder, onPath } from './toolchain';

const folder = join(here, 'stock');
const version =
  /^\tk8s\.io\/kubernetes (v\S+)|^require k8s\.io\/kubernetes (v\S+)/m
    .exec(readFileSync(join(folder, 'go.mod'), 'utf8'))
    ?.slice(1)
    .find(Boolean) ?? '';
const needs = "go 1.24 or later, Go's module proxy";
const onlyByName = 'compiling Kubernetes takes five minutes';

/** Compiles a component as its own Makefile does: it is told its version. */
async function compile(name: string): Promise<{ binary: string } | Missing> {
  const go = onPath('go');
  if (!go) return { missing: 'go is not on PATH' };
  const binary = join(cacheFolder('stock'), `${name}-${version}`);
  const [major, minor] = version.slice(1).split('.');
  const told = Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor }).map(
    ([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`,
  );
  const failed = await build(
    name,
    [go, 'build', '-o', binary, '-ldflags', ['-s', '-w', ...told].join(' '), `k8s.io/kubernetes/cmd/${name}`],
    { cwd: folder },
  );
  return failed ?? { binary };
}

/** kubereel without its scheduler, which this takes the place of. */
export const kubeScheduler: Client = {
  name: 'kube-scheduler',
  command: 'kube-scheduler',
  title: 'kube-scheduler, in place of kubereel’s own',
  version,
  needs,
  onlyByName,
  up: ['--nodes', '3', '--apps', 'apiserver,priority-admission,kubelet,pdb-controller,controller-manager'],
  checks: Object.keys(schedulerChecks),
  async prepare() {
    const made = await compile('kube-scheduler');
    if ('missing' in made) return made;
    return {
      version,
      async play({ cluster }) {
        const scheduler = new Component(made.binary, cluster, []);
        scheduler.start();
        try {
          return await runChecks(schedulerChecks, new Scheduled(cluster, scheduler));
        } finally {
          await scheduler.kill();
        }
      },
    };
  },
};

/** kubereel without its controllers, but for the one that makes the nodes of a new cluster and the reviewer of evictions. */
export const kubeControllerManager: Client = {
  name: 'kube-controller-manager',
  command: 'kube-controller-manager',
  title: 'kube-controller-manager, in place of kubereel’s own',
  version,
  needs,
  onlyByName,
  up: [
    '--nodes',
    '3',
    '--heartbeats',
    '--apps',
    'apiserver,priority-admission,scheduler,kubelet,pdb-controller/eviction,controller-manager/node-bootstrap',
  ],
  checks: Object.keys(managerChecks),
  async prepare() {
    const made = await compile('kube-controller-manager');
    if ('missing' in made) return made;
    return {
      version,
      async play({ cluster, folder: files }) {
        const manager = new Component(made.binary, cluster, managerFlags(cluster, files));
        manager.start();
        try {
          return await runChecks(managerChecks, { cluster, manager });
        } finally {
          await manager.kill();
        }
      },
    };
  },
};
