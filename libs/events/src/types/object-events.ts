import type { DeltaStep, KubeObject } from '#libs/kernel';
import { IsISO8601, IsInt, IsListOf, IsOptional, Min } from '#libs/validation';
import { DeltaStepShape, IsKubeObject } from '../shapes';

/** The object came to be; `object` is what the API shows, without its resourceVersion (the log position is it). */
export class Created {
  static readonly version = 1;
  @IsKubeObject() object!: KubeObject;
}

/** Metadata, spec or data changed. `changes` turns the object as it was into the object as it is. */
export class Updated {
  static readonly version = 1;
  @IsListOf(DeltaStepShape) changes!: DeltaStep[];
}

/** The status changed (and with it, at most, what a status write may touch besides). */
export class StatusUpdated {
  static readonly version = 1;
  @IsListOf(DeltaStepShape) changes!: DeltaStep[];
}

/** Somebody asked for deletion and the object stays for now: grace, finalizers, or the deletion follows at once. */
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
