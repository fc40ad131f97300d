import { describe, expect, it } from 'vitest';
import { mergedSwagger, type Swagger } from './merged-swagger';

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const kinds = (kind: string) => ({ 'x-kubernetes-group-version-kind': [{ group: '', kind, version: 'v1' }] });
const own: Swagger = {
  swagger: '2.0',
  info: { title: 'Kubernetes' },
  paths: { '/apis/a/v1/': { get: { schema: ref('Status') } } },
  definitions: { Status: { type: 'object', ...kinds('Status') }, Other: { type: 'string' } },
};
const prefix = '/apis/metrics/v1/';
const at = (path: string) => `${prefix}${path}`;
const merge = (document: Swagger): Swagger => mergedSwagger(own, [{ document, prefix }]);

describe('OpenAPI v2 of several servers', () => {
  it('has what the other has below its group version, with the definitions that this needs', () => {
    const merged = merge({
      info: { title: 'metrics' },
      paths: { [at('nodes')]: { get: ref('Nodes') }, '/apis/': { get: ref('Groups') } },
      definitions: { Nodes: { items: ref('Node') }, Node: { type: 'object' }, Groups: { type: 'array' }, Unused: { type: 'integer' } },
    });
    expect(merged.info).toEqual({ title: 'Kubernetes' });
    expect(Object.keys(merged.paths ?? {})).toEqual(['/apis/a/v1/', at('nodes')]);
    expect(Object.keys(merged.definitions ?? {})).toEqual(['Status', 'Other', 'Nodes', 'Node', 'Unused']);
    expect(own.paths).toEqual({ '/apis/a/v1/': { get: { schema: ref('Status') } } });
  });

  it('keeps apart what is something else by the same name, and takes for one what differs by its kinds alone', () => {
    const merged = merge({
      paths: { [at('nodes')]: { get: ref('Other'), put: ref('Status') } },
      definitions: { Other: { type: 'number', items: ref('Other') }, Status: { type: 'object', ...kinds('NodeStatus') } },
    });
    expect(merged.paths?.[at('nodes')]).toEqual({ get: ref('Other_v2'), put: ref('Status') });
    expect(merged.definitions).toEqual({
      Status: {
        type: 'object',
        'x-kubernetes-group-version-kind': [
          ...kinds('Status')['x-kubernetes-group-version-kind'],
          ...kinds('NodeStatus')['x-kubernetes-group-version-kind'],
        ],
      },
      Other: { type: 'string' },
      Other_v2: { type: 'number', items: ref('Other_v2') },
    });
  });

  it('leaves a path to whoever has it first', () => {
    const first = { document: { paths: { [at('nodes')]: { get: 'first' } } }, prefix };
    const second = { document: { paths: { [at('nodes')]: { get: 'second' }, [at('pods')]: {} } }, prefix };
    expect(mergedSwagger(own, [first, second]).paths).toMatchObject({ [at('nodes')]: { get: 'first' }, [at('pods')]: {} });
  });
});
