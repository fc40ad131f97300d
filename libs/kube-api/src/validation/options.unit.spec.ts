import { describe, expect, it } from 'vitest';
import { goldenPresent, goldenQuery, goldenSteps } from '../status/golden-sessions.fixture';
import type { GoldenStep } from '../status/golden-sessions.fixture';
import {
  validateCreateOptions,
  validateDeleteOptions,
  validateListOptions,
  validateLogOptions,
  validatePatchOptions,
  validateUpdateOptions,
} from './options';

describe('options', () => {
  it('pass when they say nothing or something known', () => {
    expect(validateCreateOptions({})).toBeUndefined();
    expect(validateUpdateOptions({ dryRun: ['All'], fieldManager: 'kubectl', fieldValidation: 'Strict' })).toBeUndefined();
    expect(validatePatchOptions({ fieldManager: 'kubectl', force: true }, true)).toBeUndefined();
    expect(validateDeleteOptions({ propagationPolicy: 'Background', gracePeriodSeconds: -1 })).toBeUndefined();
    expect(validateListOptions({ resourceVersion: '5', resourceVersionMatch: 'Exact' })).toBeUndefined();
    expect(validateListOptions({ watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })).toBeUndefined();
  });

  it('are refused together', () => {
    expect(validatePatchOptions({ fieldManager: 'm\n', force: false, fieldValidation: 'x' }, false)?.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: [force: Forbidden: may not be specified for non-apply patch, fieldManager: Invalid value: "m\\n": invalid character U+000A (at position 1), fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"]',
    );
    expect(validateListOptions({ resourceVersion: '5', resourceVersionMatch: 'Exact', continue: 'x' })?.message).toContain(
      'resourceVersionMatch is forbidden when continue is provided',
    );
  });
});

function refusal(step: GoldenStep) {
  const query = goldenQuery(step);
  const { method, headers, body } = step.request;
  const has = (key: string) => Object.hasOwn(query, key);
  const write = {
    dryRun: has('dryRun') ? [query.dryRun as string] : undefined,
    fieldManager: query.fieldManager,
    fieldValidation: query.fieldValidation,
    force: has('force') ? query.force === 'true' : undefined,
  };
  if (method === 'POST') return validateCreateOptions(write);
  if (method === 'PUT') return validateUpdateOptions(write);
  if (method === 'PATCH') return validatePatchOptions(write, headers?.['Content-Type'] === 'application/apply-patch+yaml');
  if (method === 'DELETE') return validateDeleteOptions({ ...(typeof body === 'object' ? body : {}), ...query, dryRun: write.dryRun });
  return validateListOptions({
    ...query,
    watch: has('watch'),
    sendInitialEvents: has('sendInitialEvents') ? query.sendInitialEvents === 'true' : undefined,
  });
}

describe.skipIf(!goldenPresent)('recorded options', () => {
  it.each(['dry-run', 'deletion', 'server-side-apply', 'list-versions', 'watch-bookmarks', 'field-validation'])(
    '%s: are refused the same way',
    (session) => {
      let refused = 0;
      for (const step of goldenSteps(session)) {
        const expected = step.response.body?.message as string | undefined;
        const about = /Options\.meta\.k8s\.io/.test(expected ?? '');
        const answer = refusal(step);
        if (about) {
          expect(answer, `${session} ${step.step}`).toEqual(step.response.body);
          refused++;
        } else expect(answer, `${session} ${step.step}`).toBeUndefined();
      }
      expect(refused).toBeGreaterThan(0);
    },
  );

  it('of logs are refused the same way', () => {
    const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
    const steps = goldenSteps('pod-streams').filter((step) => /PodLogOptions/.test(step.response.body?.message ?? ''));
    expect(steps.length).toBeGreaterThan(3);
    for (const step of steps) {
      const { tailLines, limitBytes, sinceSeconds, sinceTime, stream } = goldenQuery(step);
      const parameters = {
        tailLines: number(tailLines),
        limitBytes: number(limitBytes),
        sinceSeconds: number(sinceSeconds),
        sinceTime,
        stream,
      };
      expect(validateLogOptions('one', parameters), String(step.step)).toEqual(step.response.body);
    }
  });
});
