import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditSettings } from './audit-option';
import type { UpFlags } from './up-flags';

let folder: string;
let file: string;
let log: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  file = join(folder, 'policy.yaml');
  log = join(folder, 'logs', 'audit.log');
  writeFileSync(file, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is nothing without a flag, and needs the policy and the log where there is one', async () => {
  // Whatever the other flags of `up` say.
  expect(await auditSettings({ host: '127.0.0.1', durability: 'default', clock: 'real', snapshots: true } as UpFlags)).toBeUndefined();
  await expect(auditSettings({ auditLogPath: log })).rejects.toThrow('--audit-policy-file is missing');
  await expect(auditSettings({ auditPolicyFile: file })).rejects.toThrow('--audit-log-path is missing');
});

it('has what kube-apiserver and its rotation take where nothing else is said', async () => {
  const given = await auditSettings({ auditPolicyFile: file, auditLogPath: log });
  const bounds = { bytesMax: 100 * 1024 * 1024, backupsMax: 0, ageDaysMax: 0 };
  expect(given).toEqual({ options: { policy: { rules: [{ level: 'Metadata' }] }, path: log, format: 'json', ...bounds }, warnings: [] });
  expect(statSync(log).mode & 0o777).toBe(0o600);
  const said = { auditLogFormat: 'legacy', auditLogMaxsize: '1', auditLogMaxbackup: '2', auditLogMaxage: '3' };
  expect((await auditSettings({ auditPolicyFile: file, auditLogPath: '-', ...said }))?.options).toMatchObject({
    path: '-',
    format: 'legacy',
    bytesMax: 1024 * 1024,
    backupsMax: 2,
    ageDaysMax: 3,
  });
});

it('names the file and what is wrong with it', async () => {
  writeFileSync(file, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: All\n');
  await expect(auditSettings({ auditPolicyFile: file, auditLogPath: log })).rejects.toThrow(
    `--audit-policy-file: ${file}: rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"`,
  );
  const missing = join(folder, 'missing.yaml');
  await expect(auditSettings({ auditPolicyFile: missing, auditLogPath: log })).rejects.toThrow(
    `--audit-policy-file: ENOENT: no such file or directory, open '${missing}'`,
  );
});

it('tells of fields that are not looked at', async () => {
  writeFileSync(file, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: None, resource: pods}\n');
  const given = await auditSettings({ auditPolicyFile: file, auditLogPath: log });
  expect(given?.warnings).toEqual([`--audit-policy-file: ${file}: unknown field "rules[0].resource", which is not looked at`]);
});

it.each([
  [{ auditLogFormat: 'xml' }, 'invalid audit log format xml, allowed formats are "legacy,json"'],
  [{ auditLogMaxage: '-1' }, "--audit-log-maxage -1 can't be a negative number"],
  [{ auditLogMaxsize: 'big' }, '--audit-log-maxsize: "big" is no whole number'],
])('refuses %j', async (flags, text) => {
  await expect(auditSettings({ auditPolicyFile: file, auditLogPath: log, ...flags })).rejects.toThrow(text);
});

it('refuses a log that cannot be written', async () => {
  const path = join(file, 'audit.log');
  await expect(auditSettings({ auditPolicyFile: file, auditLogPath: path })).rejects.toThrow('--audit-log-path: ');
});
