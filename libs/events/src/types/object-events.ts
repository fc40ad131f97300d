import type { DeltaStep, JsonObject, JsonPatch, KubeObject } from '#libs/kernel';
import { IsBoolean, IsISO8601, IsInt, IsListOf, IsOptional, Min } from '#libs/validation';
import { DeltaStepShape, IsFieldsV1, IsKubeObject, IsListOfConditions, IsListOfManagers, PatchOperationShape } from '../shapes';

/** The object was created; `object` is what the API shows, without its resourceVersion, which is the position of this event. */
export class Created {
  static readonly version = 1;
  @IsKubeObject() object!: KubeObject;
}

/** Metadata, spec or data changed. */
export class Updated {
  static readonly version = 2;
  /** Turns the object as it was into the object as it is (RFC 6902). */
  @IsOptional() @IsListOf(PatchOperationShape) patch?: JsonPatch;
  /** What version 1 has instead of a patch. */
  @IsOptional() @IsListOf(DeltaStepShape) changes?: DeltaStep[];
}

/** The status changed (and with it, at most, what a status write may touch besides). */
export class StatusUpdated {
  static readonly version = 2;
  /** Of each condition that changed its type and the fields that did: null where one is gone, no lastTransitionTime where it is the event's time. A new one is whole. */
  @IsOptional() @IsListOfConditions() conditions?: JsonObject[];
  /** What else changed, of the whole object (RFC 6902). */
  @IsOptional() @IsListOf(PatchOperationShape) patch?: JsonPatch;
  /** What version 1 has instead of both. */
  @IsOptional() @IsListOf(DeltaStepShape) changes?: DeltaStep[];
}

/** Who owns which fields of the object after the write, where that does not follow from what it changed. */
export class ManagedFieldsChanged {
  static readonly version = 1;
  /** What the writer owns by now (fieldsV1); empty: nothing. */
  @IsOptional() @IsFieldsV1() own?: JsonObject;
  /** The writer's entry keeps the time that it had. */
  @IsOptional() @IsBoolean() kept?: boolean;
  /** All entries, where others have changed too. */
  @IsOptional() @IsListOfManagers() entries?: JsonObject[];
}

/**
 * Deletion was asked for. The object stays until its grace is over and its finalizers are removed; without these `Deleted` follows in
 * the same append.
 */
export class DeletionRequested {
  static readonly version = 1;
  @IsISO8601() deletionTimestamp!: string;
  /** Absent for namespaces, which know no grace. */
  @IsOptional() @IsInt() @Min(0) gracePeriodSeconds?: number;
  @IsOptional() @IsInt() generation?: number;
}

/** The object is gone. Its stream stays and goes on, with a new uid, when the name is used again. */
export class Deleted {
  static readonly version = 1;
}
