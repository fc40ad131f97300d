import { describe, expect, it } from 'vitest';
import { findingText } from '#libs/audit';
import { mutants } from './catalogue';
import { exercisingLog, type LogName } from './exercising-logs';
import { rechained } from './rechain';
import { survey, verified } from './survey';

describe('the logs that mutants are made of', () => {
  const logs = [...new Set(mutants.filter(({ edit }) => edit).map(({ log }) => log))];
  it.each(logs)('are proven as they are: %s', async (log: LogName) => {
    const { findings, unproven } = await verified(await exercisingLog(log));
    expect({ findings: findings.map(findingText), unproven }).toEqual({ findings: [], unproven: [] });
  });

  it.each(logs)('are the same when their chains are made anew: %s', async (log: LogName) => {
    const events = await exercisingLog(log);
    expect(rechained(events)).toEqual(events);
  });
});

describe('verify finds', () => {
  it('each mutant once in the catalogue', () => {
    const numbers = mutants.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)]);
  });

  it.each(mutants.map((mutant) => [mutant.number, mutant.name, mutant] as const))('mutant %i: %s', async (_number, _name, mutant) => {
    const { isFound, found, text } = await survey(mutant);
    expect({ isFound, found, text }).toMatchObject({ isFound: true });
  });
});
