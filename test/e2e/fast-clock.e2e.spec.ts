import { afterEach, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const binary = findKubectl('1.33');
if (!binary) console.warn('\n*** kubectl 1.33 is not on PATH or beside it: ITS TESTS ARE SKIPPED ***\n');

describe.skipIf(!binary)('ages under a fast clock', { timeout: 120_000 }, () => {
  let cluster: RunningCluster | undefined;
  const kubectl = (...args: string[]): Promise<Output> => run(binary as string, args, { env: { KUBECONFIG: cluster?.kubeconfig ?? '' } });
  afterEach(async () => {
    await cluster?.stop();
    cluster?.remove();
    cluster = undefined;
  });

  it.each([[], ['--split']])('are right once a clock that began in the past has come to now %j', async (...flags) => {
    const folder = RunningCluster.temporaryFolder();
    cluster = await RunningCluster.start(folder, '--clock', '×3600,from=4h', ...flags);
    expect(cluster.output).toMatch(/the cluster's time runs ×3600 from \S+ ago, and comes to the wall clock in \S+: /);
    await kubectl('run', 'web', '--image=nginx');
    await eventually('the wall clock', () => cluster?.output.includes('has come to the wall clock'));
    const created = await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.metadata.creationTimestamp}');
    expect(Date.parse(created.stdout)).toBeLessThanOrEqual(Date.now());
    const described = (await kubectl('describe', 'pod', 'web')).stdout;
    expect(described).toMatch(/Normal +Scheduled +\d+[smh]\S* +default-scheduler/);
    expect(described).not.toContain('<invalid>');
    expect((await kubectl('events')).stdout).not.toContain('<invalid>');
    expect((await kubectl('run', 'late', '--image=nginx')).code).toBe(0);
    const late = await kubectl('get', 'pod', 'late', '-o', 'jsonpath={.metadata.creationTimestamp}');
    expect(Math.abs(Date.parse(late.stdout) - Date.now())).toBeLessThan(60_000);
    await cluster.stop();
    const { code, stdout, stderr } = await kubereel(['verify', '--data', folder]);
    expect(code, stdout + stderr).toBe(0);
  });

  it('of get are right under a clock that runs ahead; what is not is said at the start', async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--clock', '×600');
    expect(cluster.output).toContain("the cluster's time runs ×600, ahead of the wall clock: ");
    expect(cluster.output).toContain('--clock ×600,from=7d');
    await kubectl('run', 'web', '--image=nginx');
    await eventually('minutes', async () => / \d+m/.test((await kubectl('get', 'pod', 'web', '--no-headers')).stdout));
    expect((await kubectl('describe', 'pod', 'web')).stdout).toContain('<invalid>');
  });
});
