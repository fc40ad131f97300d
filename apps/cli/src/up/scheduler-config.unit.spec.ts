import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CliError } from '../cli-error';
import { readSchedulerConfig } from './scheduler-config';

const folder = mkdtempSync(join(tmpdir(), 'kubereel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(text: string): string {
  const path = join(folder, 'scheduler.yaml');
  writeFileSync(path, text);
  return path;
}

const header = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';

describe('a KubeSchedulerConfiguration file', () => {
  it('is read as kube-scheduler reads YAML', async () => {
    const text = `${header}leaderElection: {leaderElect: no}\nprofiles:\n  - schedulerName: mine\n    plugins: {score: {disabled: [{name: "*"}]}}\n`;
    const { config, warnings } = await readSchedulerConfig(file(text));
    expect(config).toMatchObject({ leaderElection: { leaderElect: false }, profiles: [{ schedulerName: 'mine' }] });
    expect(warnings).toEqual([]);
  });

  it('of an older version is taken, with a warning that shows its v1 form', async () => {
    const { warnings } = await readSchedulerConfig(
      file(
        'apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\nalgorithmSource: {provider: DefaultProvider}\ndisablePreemption: true\n',
      ),
    );
    expect(warnings.at(-1)).toMatch(/scheduler\.yaml: .*v1alpha1 is read as kubescheduler\.config\.k8s\.io\/v1/);
    expect(warnings.at(-1)).toContain('"DefaultPreemption"');
  });

  it('that is off is refused, naming file, field and what is allowed', async () => {
    const bad = readSchedulerConfig(file(`${header}percentageOfNodesToScore: 101\nprofiles:\n  - plugins: {scoer: {}}\n`));
    await expect(bad).rejects.toThrow(CliError);
    await expect(bad).rejects.toThrow(/scheduler\.yaml: percentageOfNodesToScore: .*\[0-100\]/);
    await expect(bad).rejects.toThrow(/scheduler\.yaml: profiles\[0\]\.plugins\.scoer: unknown field; known here are .*score/);
    await expect(readSchedulerConfig(file(`${header}profiles: [{plugins: {filter: {enabled: [{name: Nope}]}}}]\n`))).rejects.toThrow(
      /profiles\[0\]\.plugins\.filter: no plugin is named "Nope"; known are .*NodeResourcesFit/,
    );
  });

  it('that is no YAML is refused with the line', async () => {
    await expect(readSchedulerConfig(file('a: [1\nb: 2\n'))).rejects.toThrow(/scheduler\.yaml:\d+: /);
    await expect(readSchedulerConfig(file('just text'))).rejects.toThrow(/must be a map/);
    await expect(readSchedulerConfig(join(folder, 'absent'))).rejects.toThrow(/--scheduler-config: .*no such file/);
  });
});
