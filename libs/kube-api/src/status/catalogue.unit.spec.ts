import { describe, expect, it } from 'vitest';
import * as catalogue from './catalogue';
import { duplicate, forbidden, invalidValue, required, tooLong, tooMany, unsupported } from './field-error';
import { goQuote } from './go-value';
import { goldenPresent, goldenSteps } from './golden-sessions.fixture';

const lines = [
  catalogue.notFound('deployments.apps', 'd'),
  catalogue.unknownResource(),
  catalogue.alreadyExists('pods', 'p'),
  catalogue.beingDeleted('configmaps', 'fin'),
  catalogue.conflict('pods/binding', 'p', 'pod p is already assigned to node "n1"'),
  catalogue.staleResourceVersion('leases.coordination.k8s.io', 'lock'),
  catalogue.storedUidDiffers('pods', 'ns', 'q', 'a', 'b'),
  catalogue.uidPreconditionFailed('Pod', 'p', 'a', 'b'),
  catalogue.resourceVersionPreconditionFailed('Pod', 'p', '1', '7'),
  catalogue.invalid('Pod', 'p', [required('spec.containers')]),
  catalogue.unprocessablePatch(),
  catalogue.forbiddenRequest('pods', 'p', 'why'),
  catalogue.forbiddenPath('User "u" cannot get path "/x"'),
  catalogue.namespaceTerminating('pods', 'late', 'team-a'),
  catalogue.badRequest('why'),
  catalogue.unauthorized(),
  catalogue.methodNotAllowed(),
  catalogue.notAcceptable(['application/json']),
  catalogue.notAcceptableRepresentation(['application/json']),
  catalogue.notAcceptableForList('PartialObjectMetadata', '*core.PodList'),
  catalogue.notAcceptableForObject('PartialObjectMetadataList', '*core.Pod'),
  catalogue.unsupportedMediaType(['application/json']),
  catalogue.unsupportedPatchType(),
  catalogue.expired('gone'),
  catalogue.listVersionExpired(),
  catalogue.continueTokenExpired('token'),
  catalogue.watchVersionExpired('5', '9'),
  catalogue.requestTooLarge('too large'),
  catalogue.bodyTooLarge(3145728),
  catalogue.tooManyRequests('wait', [], 1),
  catalogue.disruptionBudgetExhausted('b', 2, 2),
  catalogue.disruptionBudgetUnprocessed('b'),
  catalogue.severalDisruptionBudgets(),
  catalogue.internalError('why'),
  catalogue.plainError('why'),
  catalogue.serverTimeout('pods', 'GET'),
  catalogue.serviceUnavailable(),
  catalogue.timeout('why'),
  catalogue.resourceVersionTooLarge('9', '5'),
  catalogue.success(201),
  catalogue.deleted('configmaps', 'c', 'uid-1'),
];

describe('the catalogue of answers', () => {
  it('lists every constructor once', () => {
    expect(Object.keys(catalogue).length).toBe(lines.length);
    expect(lines.length).toBe(41);
    expect(
      lines.map(({ code = 0, reason = '-', message = '' }) => `${code} ${reason}: ${message.split('\n')[0]?.slice(0, 60)}`),
    ).toMatchSnapshot();
  });

  it('orders the keys as the API does', () => {
    for (const line of lines) {
      const order = ['kind', 'apiVersion', 'metadata', 'status', 'message', 'reason', 'details', 'code'];
      expect(Object.keys(line)).toEqual(order.filter((key) => key in line));
    }
  });

  it('names the resource, or the kind where the answer is Invalid', () => {
    expect(catalogue.notFound('deployments.apps', 'd').details).toEqual({ name: 'd', group: 'apps', kind: 'deployments' });
    expect(catalogue.invalid('Deployment.apps', '', []).details).toEqual({ group: 'apps', kind: 'Deployment' });
    expect(catalogue.storedUidDiffers('widgets.example.com', 'n', 'w', 'a', 'b').message).toContain('/registry/example.com/widgets/n/w,');
    expect(catalogue.storedUidDiffers('nodes', undefined, 'n1', 'a', 'b').message).toContain('/registry/minions/n1,');
  });
});

describe('field errors', () => {
  it('quote values as Go does', () => {
    expect(invalidValue('f', 'a"b\n<', 'x').body).toBe('Invalid value: "a\\"b\\n<": x');
    expect(invalidValue('f', { b: '<' }, 'x').body).toBe('Invalid value: {"b":"\\u003c"}: x');
    expect(invalidValue('f', null, 'x').body).toBe('Invalid value: null: x');
    expect(invalidValue('f', -5, 'x').body).toBe('Invalid value: -5: x');
    expect(goQuote('\u0000é\u200b😀')).toBe('"\\x00é\\u200b😀"');
  });

  it('are written by type', () => {
    expect(required('f').body).toBe('Required value');
    expect(forbidden('f', 'no').body).toBe('Forbidden: no');
    expect(duplicate('f', 'a').body).toBe('Duplicate value: "a"');
    expect(unsupported('f', 'x', ['A', 'B']).body).toBe('Unsupported value: "x": supported values: "A", "B"');
    expect(tooLong('f', 128).body).toBe('Too long: may not be more than 128 bytes');
    expect(tooMany('f', 5, 4).body).toBe('Too many: 5: must have at most 4 items');
  });

  it('are merged in the message and kept apart as causes', () => {
    const status = catalogue.invalid('Pod', 'p', [required('a'), required('a'), forbidden('b', 'no')]);
    expect(status.message).toBe('Pod "p" is invalid: [a: Required value, b: Forbidden: no]');
    expect(status.details?.causes).toHaveLength(3);
  });
});

describe.skipIf(!goldenPresent)('recorded answers', () => {
  it('are what the catalogue makes of the same facts', () => {
    const recorded = (session: string, step: number) => goldenSteps(session).find((line) => line.step === step)?.response.body;
    expect(catalogue.notFound('configmaps', 'missing')).toEqual(recorded('configmap-crud', 6));
    expect(catalogue.alreadyExists('leases.coordination.k8s.io', 'lock')).toEqual(recorded('lease-events', 3));
    expect(catalogue.beingDeleted('configmaps', 'fin')).toEqual(recorded('deletion', 10));
    expect(catalogue.storedUidDiffers('configmaps', 'web-crud', 'settings', '<uid:2>', '<uid:1>')).toEqual(recorded('configmap-crud', 11));
    expect(catalogue.uidPreconditionFailed('ConfigMap', 'pre', '<uid:29>', '<uid:2>')).toEqual(recorded('deletion', 15));
    expect(catalogue.resourceVersionPreconditionFailed('Pod', 'pre', '1', '<rv:7>')).toEqual(recorded('eviction', 25));
    expect(catalogue.staleResourceVersion('configmaps', 'settings')).toEqual(recorded('configmap-crud', 8));
    expect(catalogue.methodNotAllowed()).toEqual(recorded('configmap-crud', 43));
    expect(catalogue.unknownResource()).toEqual(recorded('discovery-legacy', 19));
    expect(catalogue.namespaceTerminating('configmaps', 'late', 'team-a')).toEqual(recorded('namespace-lifecycle', 11));
    expect(catalogue.disruptionBudgetExhausted('ok', 2, 3)).toEqual(recorded('eviction', 9));
    expect(catalogue.disruptionBudgetUnprocessed('stale')).toEqual(recorded('eviction', 13));
    expect(catalogue.severalDisruptionBudgets()).toEqual(recorded('eviction', 15));
    expect(catalogue.resourceVersionTooLarge('999999999', '<rv:4>')).toEqual(recorded('list-versions', 19));
    expect(catalogue.listVersionExpired()).toEqual(recorded('gone', 4));
    expect(catalogue.continueTokenExpired('<continue:2>')).toEqual(recorded('gone', 2));
    expect(catalogue.unprocessablePatch()).toEqual(recorded('patch-types', 3));
    expect(catalogue.unsupportedPatchType()).toEqual(recorded('negotiation', 40));
    expect(catalogue.notAcceptableForList('PartialObjectMetadata', '*core.ConfigMapList')).toEqual(recorded('negotiation', 19));
    expect(catalogue.deleted('deployments.apps', 'd', '<uid:30>')).toEqual(recorded('deletion', 35));
    expect(catalogue.unauthorized()).toEqual(recorded('access', 60));
    expect(catalogue.forbiddenPath('User "ann" cannot get path "/metrics"')).toEqual(recorded('access', 11));
  });
});
