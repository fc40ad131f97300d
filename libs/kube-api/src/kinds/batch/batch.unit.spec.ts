import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { prepareForCreate } from '../../strategy';
import { validateCreate, validateUpdate } from '../../validation';
import { releaseKinds } from '../release';
import { scheduleProblem } from './cronjobs/schedule';
import { isTimeZone } from './cronjobs/time-zones';
import { countIndexes, overlapOf } from './jobs/indexes';

const now = Date.parse('2026-01-01T00:00:00Z');
const jobs = releaseKinds.kindOf('jobs.batch');
const cronjobs = releaseKinds.kindOf('cronjobs.batch');
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };

function job(spec: object = {}, metadata: object = {}): KubeObject {
  const sent = { metadata: { name: 'j', namespace: 'n', ...metadata }, spec: { template, ...spec } } as unknown as KubeObject;
  return prepareForCreate(jobs, applyDefaults(jobs, sent), { now, uid: 'u', sent });
}

const errorsOf = (of: KubeObject): string[] => validateCreate(jobs, of).map(fieldErrorText);

describe('a Job', () => {
  const generated = {
    'controller-uid': 'u',
    'batch.kubernetes.io/controller-uid': 'u',
    'job-name': 'j',
    'batch.kubernetes.io/job-name': 'j',
  };

  it('is given a selector and labels that no other job has', () => {
    const created = job();
    expect(created.spec).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: { metadata: { labels: generated } },
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      podReplacementPolicy: 'TerminatingOrFailed',
    });
    expect(errorsOf(created)).toEqual([]);
  });

  it('has the labels of its template where it has none', () => {
    const labelled = { template: { ...template, metadata: { labels: { a: 'b' } } } };
    expect(job(labelled).metadata.labels).toEqual({ ...generated, a: 'b' });
    expect(job(labelled, { labels: { own: 'x' } }).metadata.labels).toEqual({ own: 'x' });
    expect(job().metadata.labels).toBeUndefined();
    expect(jobs.strategy.readBack?.(job()).metadata.labels).toEqual(generated);
  });

  it('is refused where labels of the user contradict those', () => {
    const wrong = { template: { ...template, metadata: { labels: { 'job-name': 'other' } } } };
    expect(errorsOf(job(wrong))[0]).toMatch(/^spec\.template\.metadata\.labels\[job-name\]: Invalid value: .*: must be 'j'$/);
    expect(errorsOf(job({ manualSelector: true, selector: { matchLabels: { a: 'b' } } }))).toEqual([
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ]);
  });

  it('may be told where its pods go until it begins', () => {
    const old = job({ suspend: true });
    const moved = {
      ...old,
      spec: { ...old.spec, template: { ...old.spec?.template, spec: { ...old.spec?.template.spec, nodeSelector: { a: 'b' } } } },
    };
    expect(validateUpdate(jobs, moved, old)).toEqual([]);
    const begun = { ...old, status: { startTime: '2026-01-01T00:00:00Z' } };
    expect(validateUpdate(jobs, moved, begun).map(fieldErrorText)).toEqual([
      expect.stringMatching(/^spec\.template: .*: field is immutable$/),
    ]);
  });

  it('keeps the end that it has come to', () => {
    const condition = (type: string) => ({ type, status: 'True' });
    const times = { startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:00Z' };
    const done = { ...job(), status: { ...times, succeeded: 1, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] } };
    const status = (of: object) => validateUpdate(jobs, { ...done, status: of } as KubeObject, done, 'status').map(fieldErrorText);
    expect(status(done.status)).toEqual([]);
    expect(status({ ...done.status, conditions: [condition('SuccessCriteriaMet')] })).toEqual([
      'status.completionTime: Invalid value: "2026-01-01T00:01:00Z": cannot set completionTime when there is no Complete=True condition',
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
    ]);
    expect(status({ ...done.status, succeeded: 0 })).toEqual(['status.succeeded: Invalid value: 0: cannot decrease the succeeded counter']);
  });

  it('shows how far it is', () => {
    const shown = (spec: object, status: object) =>
      printObjectTable(jobs, { ...job(spec), status } as KubeObject, { now: now + 60_000 }).rows[0]?.cells.slice(1, 4);
    expect(shown({}, {})).toEqual(['Running', '0/1', '']);
    expect(shown({ parallelism: 3 }, { succeeded: 1, startTime: '2026-01-01T00:00:00Z' })).toEqual(['Running', '1/1 of 3', '60s']);
    const suspended = [{ type: 'Suspended', status: 'True' }];
    expect(shown({ suspend: true, completions: 4 }, { conditions: suspended })).toEqual(['Suspended', '0/4', '']);
  });
});

describe('indexes of a job', () => {
  it.each([
    ['', 0],
    ['0,2-4', 4],
    ['3,1', 'non-increasing order, previous: 3, current: 1'],
    ['4-2', 'non-increasing order, previous: 4, current: 2'],
    ['1-2-3', `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`],
    ['x', 'cannot convert string to integer for index: "x"'],
    ['5', 'too large index: "5"'],
  ])('%j of five', (text, outcome) => {
    const counted = countIndexes(text, 5);
    expect(typeof counted === 'number' ? counted : counted.error).toBe(outcome);
  });

  it('overlap at the first that is in both', () => {
    expect(overlapOf('0-3,6', '4,6', 10)).toBe(6);
    expect(overlapOf('0-3', '2-5', 10)).toBe(2);
    expect(overlapOf('0,2', '1,3', 10)).toBeUndefined();
  });
});

describe('a schedule', () => {
  it.each(['*/5 * * * *', '0 0 1 JAN mon-fri', '@hourly', '@every 1h30m', 'TZ=Europe/Zurich 0 0 * * *', '? 0,12 * * *'])(
    'may be %j',
    (text) => expect(scheduleProblem(text)).toBeUndefined(),
  );

  it.each([
    ['x', 'expected exactly 5 fields, found 1: [x]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['@reboot', 'unrecognized descriptor: @reboot'],
    ['@every x', 'failed to parse duration x: time: invalid duration "x"'],
    ['@every 5', 'failed to parse duration 5: time: missing unit in duration "5"'],
    ['@every 5y', 'failed to parse duration 5y: time: unknown unit "y" in duration "5y"'],
    ['TZ=Nowhere * * * * *', 'provided bad location Nowhere: unknown time zone Nowhere'],
  ])('cannot be %j', (text, problem) => expect(scheduleProblem(text)).toBe(problem));

  it('is of a zone that has exactly this name', () => {
    expect(['UTC', 'America/Argentina/Buenos_Aires', 'US/Pacific', 'Etc/GMT+5'].every(isTimeZone)).toBe(true);
    expect(['utc', 'America', 'Europe/', 'Mars/Base'].some(isTimeZone)).toBe(false);
  });
});

describe('a CronJob', () => {
  const created = (spec: object, name = 'c') => {
    const sent = { metadata: { name, namespace: 'n' }, spec: { schedule: '@daily', jobTemplate: { spec: { template } }, ...spec } };
    return validateCreate(cronjobs, prepareForCreate(cronjobs, applyDefaults(cronjobs, sent as unknown as KubeObject), { now, uid: 'u' }));
  };
  const errors = (spec: object, name?: string) => created(spec, name).map(fieldErrorText);

  it('leaves room behind its name, and the choice of a selector to the server', () => {
    expect(errors({})).toEqual([]);
    expect(errors({}, 'c'.repeat(53))).toEqual([`metadata.name: Invalid value: "${'c'.repeat(53)}": must be no more than 52 characters`]);
    expect(errors({ jobTemplate: { spec: { template, manualSelector: true } } })).toEqual([
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ]);
    expect(errors({ schedule: 'TZ=UTC 0 0 * * *' })).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ]);
  });
});
