import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'greeting' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox', command: ['echo', 'from a job'] }] } } },
};

/** As a chart's test is: it succeeds where the Service answers. */
const chartTest = (name: string, service: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations: { 'helm.sh/hook': 'test' } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'wget', image: 'busybox', command: ['sh', '-c', `wget -qO- ${service}:80`] }] },
});

for (const minor of ['1.33', '1.27']) {
  const binary = findKubectl(minor);
  if (!binary) console.warn(`\n*** kubectl ${minor} is not on PATH or beside it: ITS TESTS ARE SKIPPED ***\n`);

  describe.skipIf(!binary)(`containers that end, with kubectl ${minor}`, { timeout: 120_000 }, () => {
    let cluster: RunningCluster;
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-programs-'));
    const kubectl = (args: string[], input?: string): Promise<Output> =>
      run(binary as string, args, { env: { KUBECONFIG: cluster.kubeconfig, HOME: folder }, input });
    const ok = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl(args);
      expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout.trim();
    };
    const runPod = (name: string, flags: string[], command: string[], input?: string): Promise<Output> =>
      kubectl(['run', name, '--restart=Never', '--image=busybox', ...flags, ...(command.length > 0 ? ['--', ...command] : [])], input);
    const apply = (object: object): Promise<Output> => kubectl(['apply', '-f', '-'], JSON.stringify(object));
    const phaseIs = (pod: string, phase: string): Promise<string> =>
      ok('wait', `--for=jsonpath={.status.phase}=${phase}`, `pod/${pod}`, '--timeout=60s');

    beforeAll(async () => {
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder());
      await eventually('a node is Ready', async () => (await kubectl(['get', 'nodes', '--no-headers'])).stdout.includes(' Ready '));
    });
    afterAll(async () => {
      await cluster?.stop();
      cluster?.remove();
      rmSync(folder, { recursive: true });
    });

    it('run --rm prints what the container does, and removes the pod', async () => {
      const { code, stdout } = await runPod('x', ['--rm', '-it'], ['echo', 'hi']);
      expect(stdout).toMatch(/^hi\r?\n/);
      expect(stdout).toContain('pod "x" deleted');
      expect(code).toBe(0);
      expect((await kubectl(['get', 'pod', 'x'])).stderr).toContain('not found');
    });

    it('run passes on the exit code', async () => {
      expect((await runPod('three', ['--rm', '-i'], ['sh', '-c', 'exit 3'])).code).toBe(3);
      expect((await runPod('zero', ['--rm', '-i'], ['true'])).code).toBe(0);
    });

    it('run -i hands over its input: to cat, and to the shell of an image', async () => {
      expect((await runPod('cat', ['--rm', '-i'], ['cat'], 'some input\n')).stdout).toMatch(/^some input\n/);
      const shell = await runPod('shell', ['--rm', '-i'], [], 'echo one\nhostname\nexit 7\n');
      expect(shell.stdout).toMatch(/^one\nshell\n/);
      expect(shell.code).toBe(7);
    });

    it('logs show what was typed to and what was answered, once it is over', async () => {
      await runPod('typed', ['-i'], ['sh', '-c', 'read name; echo "hello $name"'], 'you\n');
      await phaseIs('typed', 'Succeeded');
      expect(await ok('logs', 'typed')).toBe('hello you');
    });

    it('logs: the last lines, since when, with times, of the run before, followed to the end', async () => {
      await runPod('lines', [], ['sh', '-c', 'for i in 1 2 3; do echo line $i; done; sleep 2; echo last']);
      await eventually('it has begun', async () => (await kubectl(['logs', 'lines'])).stdout.includes('line 3'));
      expect(await ok('logs', '-f', 'lines')).toBe('line 1\nline 2\nline 3\nlast');
      await phaseIs('lines', 'Succeeded');
      expect(await ok('logs', 'lines', '--tail=2')).toBe('line 3\nlast');
      expect(await ok('logs', 'lines', '--limit-bytes=4')).toBe('line');
      const [first, , , last] = (await ok('logs', 'lines', '--timestamps')).split('\n').map((line) => line.split(' '));
      expect(Date.parse(last?.[0] as string) - Date.parse(first?.[0] as string)).toBe(2_000);
      expect(await ok('logs', 'lines', `--since-time=${last?.[0]}`)).toBe('last');
      await ok('run', 'crashes', '--image=busybox', '--', 'sh', '-c', 'echo failing; exit 1');
      await eventually('it was restarted', async () => (await kubectl(['logs', 'crashes', '--previous'])).code === 0);
      expect(await ok('logs', 'crashes', '--previous')).toBe('failing');
      await ok('delete', 'pod', 'crashes', '--now');
    });

    it('attach shows what goes on, until it is over', async () => {
      await runPod('going', [], ['sh', '-c', 'echo begun; sleep 2; echo done']);
      await phaseIs('going', 'Running');
      expect(await ok('attach', 'going')).toContain('done');
    });

    it('a Job completes', async () => {
      await apply(job);
      await ok('wait', '--for=condition=Complete', 'job/greeting', '--timeout=60s');
      expect(await ok('logs', 'job/greeting')).toBe('from a job');
    });

    it('a test of a chart succeeds where a Service answers, and fails where none does', async () => {
      await ok('run', 'web', '--image=nginx', '--port=80', '--expose');
      await ok('wait', '--for=condition=Ready', 'pod/web', '--timeout=60s');
      await apply(chartTest('good', 'web'));
      await apply(chartTest('bad', 'elsewhere'));
      await phaseIs('good', 'Succeeded');
      expect(await ok('logs', 'good')).toContain('pod default/web is simulated');
      await phaseIs('bad', 'Failed');
      expect(await ok('logs', 'bad')).toBe("wget: bad address 'elsewhere:80'");
    });

    it('exec and cp share the files of a running container', async () => {
      await runPod('files', [], ['sleep', '3600']);
      await phaseIs('files', 'Running');
      const content = `${'x'.repeat(100_000)}\nend\n`;
      writeFileSync(join(folder, 'there.txt'), content);
      await ok('cp', join(folder, 'there.txt'), 'files:/tmp/here.txt');
      expect(await ok('exec', 'files', '--', 'sh', '-c', 'tail -n 1 /tmp/here.txt; echo more >> /tmp/here.txt')).toBe('end');
      await ok('cp', 'files:/tmp/here.txt', join(folder, 'back.txt'));
      expect(readFileSync(join(folder, 'back.txt'), 'utf8')).toBe(`${content}more\n`);
      const failed = await kubectl(['exec', 'files', '--', 'sh', '-c', 'exit 9']);
      expect([failed.code, failed.stderr]).toEqual([9, 'command terminated with exit code 9\n']);
      expect((await kubectl(['exec', 'files', '--', 'nothing'])).stderr).toContain('executable file not found in $PATH');
    });

    it('debug adds a container that ends', async () => {
      const debugged = await kubectl(['debug', 'files', '--image=busybox', '-i', '-c', 'helper', '--', 'echo', 'debugging']);
      expect(debugged.code, debugged.stderr).toBe(0);
      const state = '{.status.ephemeralContainerStatuses[0].state.terminated.exitCode}';
      await ok('wait', `--for=jsonpath=${state}=0`, 'pod/files', '--timeout=60s');
      expect(await ok('logs', 'files', '-c', 'helper')).toBe('debugging');
    });

    it('leaves a log that proves', async () => {
      await cluster.stop();
      const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster.folder]);
      expect(code, stdout + stderr).toBe(0);
    });
  });
}
