import { isObject, parseQuantity, type DeltaStep, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { IsArray, IsBoolean, IsIn, IsInt, IsListOf, IsOptional, IsString, IsThat } from '#libs/validation';

/** One operation of a JSON patch. */
export class PatchOperationShape {
  @IsIn(['add', 'replace', 'remove']) op!: 'add' | 'replace' | 'remove';
  @IsThat('a JSON pointer', (path) => typeof path === 'string' && /^(\/([^~]|~[01])*)?$/.test(path)) path!: string;
  /** Absent of a removal. */
  @IsOptional() value?: Json;
}

/** Conditions, or the fields of conditions that changed: each says its type. */
export function IsListOfConditions(): PropertyDecorator {
  return IsThat('a list of conditions', (list) => Array.isArray(list) && list.every((item) => isObject(item) && isText(item.type)));
}

/** One change of an object, as version 1 of updates says it: what stands at a path from now on; nothing, where `v` is absent. */
export class DeltaStepShape implements DeltaStep {
  @IsArray()
  @IsThat('object keys and array indices', (path) => Array.isArray(path) && path.every(isPathPart))
  p!: (string | number)[];
  @IsOptional() v?: Json;
}

function isPathPart(part: unknown): boolean {
  return typeof part === 'string' || (Number.isInteger(part) && (part as number) >= 0);
}

/** A pod that is to go, as it was when that was decided. */
export class VictimReference {
  @IsString() namespace!: string;
  @IsString() name!: string;
  @IsString() uid!: string;
  @IsInt() priority!: number;
}

/** How long pods of at least this priority may take to end when their node shuts down, seconds. */
export class ShutdownPeriodShape {
  @IsInt() priority!: number;
  @IsInt() shutdownGracePeriodSeconds!: number;
}

/** A pull of an image that has succeeded. Durations are ms. */
export class ImagePullShape {
  @IsInt() tookMs!: number;
  /** How long others on the node went before it. */
  @IsOptional() @IsInt() waitedMs?: number;
  @IsInt() bytes!: number;
  /** That it began was told when it did. */
  @IsOptional() @IsBoolean() announced?: boolean;
}

/** Quantities by the name of the resource. */
export function IsAmounts(): PropertyDecorator {
  return IsThat(
    'quantities by name',
    (value) => isObject(value) && Object.values(value).every((each) => parseQuantity(each) !== undefined),
  );
}

/** What one write takes of a quota. */
export class QuotaChargeShape {
  /** The question that it answers. */
  @IsString() review!: string;
  @IsIn(['CREATE', 'UPDATE']) operation!: string;
  @IsString() resource!: string;
  @IsString() name!: string;
  @IsAmounts() amounts!: Record<string, string>;
}

/** One condition on what a quota counts. */
export class ScopeRequirementShape {
  @IsString() scopeName!: string;
  @IsString() operator!: string;
  @IsOptional() @IsArray() @IsString({ each: true }) values?: string[];
}

/** What may be used only where a quota covers it. */
export class LimitedResourceShape {
  /** `pods`, `deployments.apps`. */
  @IsString() resource!: string;
  @IsArray() @IsString({ each: true }) matchContains!: string[];
  @IsListOf(ScopeRequirementShape) matchScopes!: ScopeRequirementShape[];
}

/** What is read of an extender's answer of 200, or why there is none. */
export class ExtenderAnswerShape {
  @IsOptional() body?: Json;
  @IsOptional() @IsString() error?: string;
}

/** An object of the API: it has a name, and metadata to hold it. */
export function IsKubeObject(): PropertyDecorator {
  return IsThat('an object with metadata.name', (value) => isObject(value) && isNamed(value as unknown as KubeObject));
}

function isNamed({ metadata }: { metadata?: Partial<KubeObject['metadata']> }): boolean {
  return isObject(metadata) && typeof metadata.name === 'string';
}

/** A set of fields as server-side apply writes it: a tree of path elements. */
export function IsFieldsV1(): PropertyDecorator {
  return IsThat('a tree of path elements', isFieldsV1);
}

function isFieldsV1(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([key, inside]) => /^(\.$|[fkvi]:)/.test(key) && isFieldsV1(inside));
}

/** Entries of metadata.managedFields. */
export function IsListOfManagers(): PropertyDecorator {
  return IsThat('a list of managers', (list) => Array.isArray(list) && list.every(isManager));
}

function isManager(value: unknown): boolean {
  if (!isObject(value) || !isText(value.apiVersion) || value.fieldsType !== 'FieldsV1' || !isFieldsV1(value.fieldsV1)) return false;
  return value.operation === 'Apply' || value.operation === 'Update';
}

/** The body of a refusal: a Status with its code. */
export function IsStatus(): PropertyDecorator {
  return IsThat('a Status with its code', (value) => isObject(value) && Number.isInteger((value as JsonObject).code));
}

export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

export function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** See `NodePressureObserved`. */
export class MetThresholdShape {
  @IsString() threshold!: string;
  @IsInt() since!: number;
  @IsOptional() @IsBoolean() isRipe?: boolean;
  /** Bytes that were left. */
  @IsInt() available!: number;
}

/** See `NodePressureObserved`. */
export class PressureConditionShape {
  @IsString() type!: string;
  @IsInt() lastObserved!: number;
}

/** A pod in the order in which a kubelet evicts. */
export class RankedPodShape {
  @IsString() namespace!: string;
  @IsString() name!: string;
  @IsInt() priority!: number;
  /** Bytes; absent: nothing of it can be measured yet, which puts it before all others. */
  @IsOptional() @IsInt() usage?: number;
  @IsInt() request!: number;
  /** It is never evicted. */
  @IsOptional() @IsBoolean() isCritical?: boolean;
}
