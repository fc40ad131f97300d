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

  /** How far what is written now is from the wall clock, ms. */
  const offBy = async (name: string): Promise<number> => {
    await kubectl('create', 'configmap', name);
    const { stdout } = await kubectl('get', 'configmap', name, '-o', 'jsonpath={.metadata.creationTimestamp}');
    return Math.abs(Date.parse(stdout) - Date.now());
  };

  it.each(['', '--split'])('are right once a clock that began in the past has come to now %s', async (flag) => {
    const folder = RunningCluster.temporaryFolder();
    // Events are kept for an hour.
    cluster = await RunningCluster.start(folder, '--clock', '×600,from=50m', ...(flag === '' ? [] : [flag]));
    await kubectl('run', 'web', '--image=nginx');
    let tries = 0;
    await eventually('the wall clock', async () => (await offBy(`at-${++tries}`)) < 30_000);
    const created = await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.metadata.creationTimestamp}');
    expect(Date.parse(created.stdout)).toBeLessThanOrEqual(Date.now());
    expect((await kubectl('describe', 'pod', 'web')).stdout).toMatch(/Normal +Scheduled +\d+[smh]\S* +default-scheduler/);
    expect((await kubectl('events')).stdout).not.toContain('<invalid>');
    await cluster.stop();
    const { code, stdout, stderr } = await kubereel(['verify', '--data', folder]);
    expect(code, stdout + stderr).toBe(0);
  });

  it('a clock that begins in the past says so, and when it has come to now', async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--clock', '×600,from=1h');
    expect(cluster.output).toMatch(/the cluster's time runs ×600 from \S+ ago, and comes to the wall clock in \d+s: /);
    await eventually('the wall clock', () => cluster?.output.includes("the cluster's time has come to the wall clock"));
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
