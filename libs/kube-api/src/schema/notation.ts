import type { Definition } from './definition';

/**
 * Fields are kept as lines of words: `name type [words…]`.
 *
 * | word | meaning |
 * | --- | --- |
 * | type | a scalar, a definition (`core.v1.Container`), `[]T` or `map[]T` |
 * | `#5`, `#2.1` | protobuf number; `2.1` is number 1 of the message embedded as number 2 |
 * | `required` | must be given |
 * | `pointer` | absent and zero differ |
 * | `always` | written even when zero |
 * | `wrapped` | each value of the map is a message whose number 1 is the list |
 * | `go=v1.PullPolicy` | name of the Go type where it does not follow from the type |
 * | `default="TCP"`, `enum=["A","B"]` | JSON |
 * | `list=map:name`, `list=set`, `map=atomic` | server-side apply |
 * | `patch=merge`, `patch=merge,retainKeys`, `key=name` | strategic merge |
 */
export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'fieldsV1'
  | 'raw'
  | 'json';

export type TypeRef =
  | { readonly type: 'scalar'; readonly scalar: Scalar }
  /** `of` is read on first use: definitions refer to one another in circles. */
  | { readonly type: 'struct'; readonly definition: string; readonly of: Definition }
  | { readonly type: 'list'; readonly item: TypeRef }
  | { readonly type: 'map'; readonly value: TypeRef };

export interface Field {
  readonly name: string;
  /** Place in its struct. */
  readonly index: number;
  readonly ref: TypeRef;
  /** Go's name of the type, as decoding errors print it. */
  readonly goType: string;
  /** Path of protobuf numbers, empty where the field is on no message. */
  readonly numbers: readonly number[];
  readonly required: boolean;
  readonly pointer: boolean;
  readonly always: boolean;
  readonly wrapped: boolean;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly mapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategies: readonly string[];
  readonly mergeKey?: string;
}

const scalars: ReadonlySet<string> = new Set<Scalar>([
  'string',
  'bool',
  'int32',
  'int64',
  'double',
  'bytes',
  'time',
  'microTime',
  'quantity',
  'intOrString',
  'fieldsV1',
  'raw',
  'json',
]);

const goNames: Partial<Record<Scalar, string>> = {
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  fieldsV1: 'v1.FieldsV1',
  raw: 'runtime.RawExtension',
  bytes: '[]uint8',
  double: 'float64',
};

/** Finds what a field refers to by name. @throws Error where there is no such definition */
export type Resolve = (definition: string) => Definition;

class StructRef {
  readonly type = 'struct';
  private found: Definition | undefined;

  constructor(
    readonly definition: string,
    private readonly resolve: Resolve,
  ) {}

  get of(): Definition {
    return (this.found ??= this.resolve(this.definition));
  }
}

export function readType(text: string, resolve: Resolve): TypeRef {
  if (text.startsWith('[]')) return { type: 'list', item: readType(text.slice(2), resolve) };
  if (text.startsWith('map[]')) return { type: 'map', value: readType(text.slice(5), resolve) };
  return scalars.has(text) ? { type: 'scalar', scalar: text as Scalar } : new StructRef(text, resolve);
}

/** `core.v1.Container` → `v1.Container`, as Go prints it. */
export function goTypeOf(ref: TypeRef): string {
  if (ref.type === 'list') return `[]${goTypeOf(ref.item)}`;
  if (ref.type === 'map') return `map[string]${goTypeOf(ref.value)}`;
  if (ref.type === 'scalar') return goNames[ref.scalar] ?? ref.scalar;
  return ref.definition.slice(ref.definition.indexOf('.') + 1);
}

function valueOf(words: readonly string[], key: string): string | undefined {
  const word = words.find((candidate) => candidate.startsWith(key));
  return word?.slice(key.length);
}

export function readField(line: string, index: number, resolve: Resolve): Field {
  const [name = '', type = '', ...words] = line.split(' ');
  const ref = readType(type, resolve);
  const standard = valueOf(words, 'default=');
  const values = valueOf(words, 'enum=');
  const [listType, mapKeys] = valueOf(words, 'list=')?.split(':') ?? [];
  return {
    name,
    index,
    ref,
    goType: valueOf(words, 'go=') ?? goTypeOf(ref),
    numbers: valueOf(words, '#')?.split('.').map(Number) ?? [],
    required: words.includes('required'),
    pointer: words.includes('pointer'),
    always: words.includes('always'),
    wrapped: words.includes('wrapped'),
    default: standard === undefined ? undefined : JSON.parse(standard),
    enum: values === undefined ? undefined : (JSON.parse(values) as string[]),
    listType: listType as Field['listType'],
    mapKeys: mapKeys?.split(','),
    mapType: valueOf(words, 'map=') as Field['mapType'],
    patchStrategies: valueOf(words, 'patch=')?.split(',') ?? [],
    mergeKey: valueOf(words, 'key='),
  };
}
