import { describe, expect, it } from 'vitest';
import { definition, definitionOf, readField as readFieldOf, schemaData, schemaOf, walkObject } from './index';

const readField = (line: string, index = 0) => readFieldOf(line, index, definition);

describe('the notation of fields', () => {
  it('reads every word', () => {
    expect(readField('ports []core.v1.ContainerPort #6 list=map:containerPort,protocol patch=merge key=containerPort', 5)).toMatchObject({
      name: 'ports',
      index: 5,
      ref: { type: 'list', item: { type: 'struct', definition: 'core.v1.ContainerPort' } },
      goType: '[]v1.ContainerPort',
      numbers: [6],
      listType: 'map',
      mapKeys: ['containerPort', 'protocol'],
      patchStrategies: ['merge'],
      mergeKey: 'containerPort',
      always: false,
    });
    const policy = readField('p string #2.1 required pointer always go=v1.P default="A" enum=["A","with\\u0020space"]');
    expect(policy).toMatchObject({ required: true, pointer: true, always: true, goType: 'v1.P', numbers: [2, 1], default: 'A' });
    expect(policy.enum).toEqual(['A', 'with space']);
    expect(readField('extra map[][]string wrapped')).toMatchObject({ goType: 'map[string][]string', wrapped: true, numbers: [] });
  });

  it('is that of every field in the data', () => {
    for (const name of Object.keys(schemaData.definitions)) {
      for (const field of definition(name).fields) {
        let { ref } = field;
        while (ref.type === 'list' || ref.type === 'map') ref = ref.type === 'list' ? ref.item : ref.value;
        if (ref.type === 'struct') expect(definitionOf(ref.definition), `${name}.${field.name}`).toBeDefined();
      }
    }
  });
});

describe('definitions', () => {
  it('are found by kind; those of every group by any', () => {
    expect(schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' })?.openApiName).toBe('io.k8s.api.apps.v1.Deployment');
    expect(schemaOf({ group: '', version: 'v1', kind: 'Status' })?.openApiName).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.Status');
    expect(schemaOf({ group: 'any', version: 'v9', kind: 'DeleteOptions' })?.name).toBe('meta.v1.DeleteOptions');
    expect(schemaOf({ group: '', version: 'v1', kind: 'Widget' })).toBeUndefined();
    expect(schemaOf({ group: '', version: 'v1', kind: '__proto__' })).toBeUndefined();
    expect(definitionOf('constructor')).toBeUndefined();
    expect(() => definition('core.v1.Widget')).toThrow('no definition core.v1.Widget');
  });

  it('are walked with their values', () => {
    const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] }, unknown: 1 };
    const paths: string[] = [];
    walkObject(definition('core.v1.Pod'), pod, ({ path }) => paths.push(path));
    expect(paths).toEqual([
      'metadata',
      'metadata.labels',
      'metadata.labels[a]',
      'spec',
      'spec.containers',
      'spec.containers[0]',
      'spec.containers[0].name',
    ]);
  });
});
