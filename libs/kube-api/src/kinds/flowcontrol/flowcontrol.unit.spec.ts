import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../defaults';
import { fieldErrorText } from '../../status';
import { prepareForUpdate } from '../../strategy';
import { validateCreate, validateUpdate } from '../../validation';
import { releaseKinds } from '../release';
import { flowControlObjects } from '.';

const levels = releaseKinds.kindOf('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io');
const schemas = releaseKinds.kindOf('flowschemas.flowcontrol.apiserver.k8s.io');
const named = (name: string): KubeObject =>
  applyDefaults(levels, flowControlObjects().levels.find(({ metadata }) => metadata.name === name) as KubeObject);

describe('priority levels and flow schemas', () => {
  it('are as the server itself makes them', () => {
    const own = flowControlObjects();
    expect(own.levels).toHaveLength(8);
    expect(own.schemas).toHaveLength(11);
    for (const level of own.levels) expect(validateCreate(levels, applyDefaults(levels, level))).toEqual([]);
    for (const schema of own.schemas) expect(validateCreate(schemas, applyDefaults(schemas, schema))).toEqual([]);
    const names = new Set(own.levels.map(({ metadata }) => metadata.name));
    for (const schema of own.schemas) expect(names).toContain(schema.spec?.priorityLevelConfiguration.name);
  });

  it('may not differ where they are mandatory, but for what the exempt level lends', () => {
    const changed = (level: KubeObject, part: object): string[] =>
      validateUpdate(levels, { ...level, spec: { ...level.spec, ...part } } as KubeObject, level).map(fieldErrorText);
    expect(changed(named('exempt'), { exempt: { nominalConcurrencyShares: 3, lendablePercent: 50 } })).toEqual([]);
    const limited = { ...named('catch-all').spec?.limited, nominalConcurrencyShares: 7 };
    expect(changed(named('catch-all'), { limited })).toEqual([
      'spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":7,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of \'catch-all\' must equal the fixed value',
    ]);
    expect(changed(named('workload-low'), { limited })).toEqual([]);
  });

  it('keep their metadata when their status is written', () => {
    const level = named('system');
    const written = { ...level, metadata: { ...level.metadata, labels: { a: 'b' } }, status: { conditions: [] } } as KubeObject;
    expect(prepareForUpdate(levels, written, level, 'status').metadata.labels).toBeUndefined();
  });

  it('deal hands of queues that a hash can choose', () => {
    const level = named('system');
    const queuing = { queues: 1024, handSize: 12, queueLengthLimit: 50 };
    const spec = { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing } } };
    expect(validateCreate(levels, { ...level, spec } as unknown as KubeObject).map(fieldErrorText)).toEqual([
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 12: required entropy bits of deckSize 1024 and handSize 12 should not be greater than 60',
    ]);
  });
});
