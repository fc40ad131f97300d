import { expect, it } from 'vitest';
import type { Finding, VerifyReport } from '#libs/audit';
import { verifyText } from '../audit/verify-text';
import { printable } from './printable';

it('text from a log is one line that a terminal only shows', () => {
  expect(printable('a\u001b[2J\nb\r\u202ec')).toBe('a\\u{1b}[2J\\u{a}b\\u{d}\\u{202e}c');
  expect(printable('default/web ✓ …')).toBe('default/web ✓ …');
  expect(printable('x'.repeat(10_000), 2_000)).toHaveLength(2_001);
});

it('what verify prints of an edited log is not what the log wants it to print', () => {
  const type = '\u001b[2J\nProven: nothing was changed';
  const finding: Finding = { check: 'Y', type, stream: 's', revision: 0, position: 1, id: 'i', text: 't', accept: `unknown-event=${type}` };
  const none = { seals: 0, agreed: 0, events: 0 };
  const seals = { inLog: none, kept: none, beside: none };
  const counts = { events: 1, agreed: 0, differ: 0, otherVersion: 0, notDerivable: 0, findingCount: 1 };
  const report = { ...counts, findings: [finding], chain: [], differences: [], unproven: [], seals } as VerifyReport;
  const lines = verifyText(report, undefined).split('\n');
  expect(lines[0]).toMatch(/^unknown: \\u\{1b\}\[2J\\u\{a\}Proven/);
  expect(lines.filter((line) => line.startsWith('Proven'))).toEqual([]);
});
