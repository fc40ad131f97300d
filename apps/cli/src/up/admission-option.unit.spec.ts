import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { admissionSettings } from './admission-option';

const folder = mkdtempSync(join(tmpdir(), 'kubereel-admission-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, plugins: object[], kind = 'AdmissionConfiguration'): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind, plugins }));
  return path;
}

describe('the flags of admission', () => {
  it('set nothing where none is given', async () => {
    expect(await admissionSettings({})).toBeUndefined();
  });

  it('name plug-ins as kube-apiserver does', async () => {
    const flags = { enableAdmissionPlugins: 'LimitPodHardAntiAffinityTopology,LimitRanger', disableAdmissionPlugins: 'PodSecurity' };
    expect(await admissionSettings(flags)).toEqual({
      enabled: ['LimitPodHardAntiAffinityTopology', 'LimitRanger'],
      disabled: ['PodSecurity'],
      limitedResources: [],
    });
  });

  it('refuse a plug-in that nobody knows, that is not here, and one that is to be on and off', async () => {
    await expect(admissionSettings({ disableAdmissionPlugins: 'Podsecurity' })).rejects.toThrow('plugin "Podsecurity" is unknown');
    await expect(admissionSettings({ enableAdmissionPlugins: 'EventRateLimit' })).rejects.toThrow('does not do what EventRateLimit does');
    await expect(admissionSettings({ enableAdmissionPlugins: 'Priority', disableAdmissionPlugins: 'Priority' })).rejects.toThrow(
      'Priority is in --enable-admission-plugins and in --disable-admission-plugins',
    );
  });
});

describe('an AdmissionConfiguration', () => {
  it('says what is limited and what of pod security is the default, in itself or in files beside it', async () => {
    writeFileSync(
      join(folder, 'security.yaml'),
      'defaults: {enforce: baseline, warn: restricted, warn-version: v1.30}\nexemptions: {namespaces: [kube-system]}\n',
    );
    const limited = { apiGroup: 'apps', resource: 'deployments', matchContains: ['count/'] };
    const scoped = { resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] };
    const path = fileOf('whole.json', [
      { name: 'ResourceQuota', configuration: { limitedResources: [limited, scoped] } },
      { name: 'PodSecurity', path: 'security.yaml' },
    ]);
    expect(await admissionSettings({ admissionControlConfigFile: path })).toEqual({
      enabled: [],
      disabled: [],
      limitedResources: [
        { resource: 'deployments.apps', matchContains: ['count/'], matchScopes: [] },
        { resource: 'pods', matchContains: [], matchScopes: scoped.matchScopes },
      ],
      podSecurity: {
        defaults: {
          enforce: { level: 'baseline', version: 'latest' },
          audit: { level: 'privileged', version: 'latest' },
          warn: { level: 'restricted', version: 30 },
        },
        exemptions: { usernames: [], namespaces: ['kube-system'], runtimeClasses: [] },
      },
    });
  });

  it('that says something else names the file and what is wrong', async () => {
    const refused = (path: string, text: string): Promise<void> =>
      expect(admissionSettings({ admissionControlConfigFile: path })).rejects.toThrow(`${path}: ${text}`);
    await refused(join(folder, 'none.yaml'), 'there is no such file');
    await refused(fileOf('kind.json', [], 'Pod'), 'it is no AdmissionConfiguration');
    await refused(fileOf('other.json', [{ name: 'EventRateLimit' }]), 'nothing of plugin "EventRateLimit" can be configured');
    const level = [{ name: 'PodSecurity', configuration: { defaults: { enforce: 'strict' } } }];
    await refused(fileOf('level.json', level), 'enforce: must be one of privileged, baseline, restricted');
  });
});
