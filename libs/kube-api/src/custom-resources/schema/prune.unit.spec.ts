import { describe, expect, it } from 'vitest';
import { dropNulls, setSchemaDefaults } from './defaults';
import { prune } from './prune';
import type { Schema } from './schema';

const text: Schema = { type: 'string' };
const open = { 'x-kubernetes-preserve-unknown-fields': true } as const;

describe('pruning', () => {
  it('takes what is not specified, and tells it in order', () => {
    const schema: Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { parts: { items: { properties: { a: text } } } } } },
    };
    const draft = { kind: 'Widget', metadata: { name: 'w', colour: 'red' }, zz: 1, spec: { parts: [{ a: 'x', b: 1 }, 7], more: {} } };
    expect(prune(schema, draft as never)).toEqual(['spec.more', 'spec.parts[0].b', 'zz']);
    expect(draft).toEqual({ kind: 'Widget', metadata: { name: 'w', colour: 'red' }, spec: { parts: [{ a: 'x' }, 7] } });
  });

  it('keeps what is to be preserved, and prunes below it what is specified there', () => {
    const schema: Schema = { properties: { spec: { ...open, properties: { known: { properties: { a: text } } } } } };
    const draft = { spec: { free: { deep: [{ x: 1 }] }, known: { a: 'x', b: 1 } } };
    expect(prune(schema, draft)).toEqual(['spec.known.b']);
    expect(draft).toEqual({ spec: { free: { deep: [{ x: 1 }] }, known: { a: 'x' } } });
  });

  it('leaves an embedded object what every object has', () => {
    const schema: Schema = { properties: { template: { 'x-kubernetes-embedded-resource': true, properties: { spec: open } } } };
    const draft = { template: { kind: 'Pod', metadata: { labels: {} }, spec: { a: 1 }, status: {} } };
    expect(prune(schema, draft)).toEqual(['template.status']);
  });
});

describe('defaults', () => {
  const schema: Schema = {
    properties: {
      size: { type: 'integer', default: 3 },
      parts: { items: { properties: { colour: { type: 'string', default: 'red' } } } },
      note: { type: 'string', nullable: true, default: 'n' },
      plain: text,
    },
  };

  it('fill in what is absent, and null that may not be', () => {
    const draft = { size: null, parts: [{}, { colour: 'blue' }], note: null };
    setSchemaDefaults(schema, draft);
    expect(draft).toEqual({ size: 3, parts: [{ colour: 'red' }, { colour: 'blue' }], note: null });
  });

  it('are not shared', () => {
    const list: Schema = { properties: { a: { default: [1] } } };
    const [one, other] = [{} as Record<string, number[]>, {} as Record<string, number[]>];
    setSchemaDefaults(list, one);
    setSchemaDefaults(list, other);
    one.a?.push(2);
    expect(other.a).toEqual([1]);
  });

  it('leave null nowhere that it may not be', () => {
    const draft = { size: null, plain: null, note: null };
    dropNulls(schema, draft);
    expect(draft).toEqual({ size: null, note: null });
  });
});
