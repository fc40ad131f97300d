import { describe, expect, it } from 'vitest';
import { WRITE_RULES_VERSION } from '#libs/kube-api';
import { both, changedAll, changedData, objectIn, ofType, withoutAppend, type Edit } from './edits';
import { exercisingLog } from './exercising-logs';
import { rechained } from './rechain';
import { verified } from './survey';

/** As a log of a release that let such ports, and pods without a review, pass. */
const writtenBy = (version: number | undefined): Edit =>
  changedAll(ofType('ProcessStarted'), ({ data }) => (version === undefined ? delete data.writeRules : (data.writeRules = version)));
const unlawfulPort = changedData(ofType('Created', 'services-default/web'), (data) => (objectIn(data).spec.ports[0].port = 99_999));

async function reportOf(...edits: Edit[]): ReturnType<typeof verified> {
  return verified(rechained(both(...edits)(await exercisingLog('workloads'))));
}

describe('a log by another version of the rules of writes', () => {
  it('has nothing wrong where the rules of today lead to the same', async () => {
    expect(await reportOf(writtenBy(undefined))).toMatchObject({ findings: [], unproven: [] });
  });

  it('is not accused of a write that they refuse: it cannot be proven', async () => {
    const { findings, unproven } = await reportOf(unlawfulPort, writtenBy(undefined));
    expect(findings.filter(({ check }) => check === 'W')).toEqual([]);
    expect(unproven).toEqual([
      expect.objectContaining({
        accept: 'other-version=write-rules@1',
        text: expect.stringContaining('spec.ports[0].port: Invalid value: 99999'),
      }),
    ]);
  });

  it('is accused of it where they are those of its writer', async () => {
    const { findings, unproven } = await reportOf(unlawfulPort);
    expect(findings.map(({ check }) => check)).toContain('W');
    expect(unproven).toEqual([]);
  });

  it('is accused of a version that never was', async () => {
    const { findings } = await reportOf(writtenBy(WRITE_RULES_VERSION + 1));
    expect(new Set(findings.map(({ accept }) => accept))).toEqual(new Set([`unknown-version=write-rules@${WRITE_RULES_VERSION + 1}`]));
  });

  it('is accused of what no rule excuses: an answer of a reviewer that is gone', async () => {
    const { findings } = await reportOf(withoutAppend(ofType('PodAdmitted'), 'last'), writtenBy(undefined));
    expect(findings.map(({ check }) => check)).toContain('V');
  });
});
