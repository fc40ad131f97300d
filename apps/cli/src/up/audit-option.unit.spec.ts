import { describe, expect, it } from 'vitest';
import { auditSettings } from './audit-option';
import type { UpFlags } from './up-flags';

const others = { host: '127.0.0.1', durability: 'default', clock: 'real', snapshots: true } as UpFlags;

describe('the flags of the audit log', () => {
  it('ask for nothing where none of them is given, whatever the other flags of `up` say', async () => {
    expect(await auditSettings(others)).toBeUndefined();
  });

  it('need a policy', async () => {
    await expect(auditSettings({ ...others, auditLogPath: '-' })).rejects.toThrow('--audit-policy-file is missing');
  });
});
