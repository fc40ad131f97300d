import type { JsonObject } from '#libs/kernel';
import { IsArray, IsInt, IsListOf, IsMapOf, IsNumber, IsObject, IsOptional, IsString } from '#libs/validation';
import { isText, LimitedResourceShape } from '../shapes';

/** The first append of each writer: a process has joined the cluster. */
export class ProcessStarted {
  static readonly version = 1;
  /** Version of kubereel; absent in a simulation, which is the same whoever runs it. */
  @IsOptional() @IsString() build?: string;
  /** Version of Node. */
  @IsOptional() @IsString() node?: string;
  /** Release of Kubernetes whose rules it writes by. */
  @IsString() rules!: string;
  /** Version of the rules by which it prepares writes; absent: 1. */
  @IsOptional() @IsInt() writeRules?: number;
  /** Version of its fold. */
  @IsInt() fold!: number;
  /** Cluster seconds a real second. */
  @IsNumber() speed!: number;
  /** Behaviours of the controllers that it can run, by name. */
  @IsOptional() @IsMapOf('strings', isText) behaviours?: Record<string, string>;
  /** Digests of the scheduler plugins that it was given, by file name. */
  @IsOptional() @IsMapOf('strings', isText) plugins?: Record<string, string>;
  /** Names of the streams that it does not read begin so; absent: it reads all. */
  @IsOptional() @IsArray() @IsString({ each: true }) leavesOut?: string[];
}

/** What built-in admission goes by from now on: what an operator has set beside upstream's defaults. */
export class AdmissionConfigured {
  static readonly version = 1;
  @IsArray() @IsString({ each: true }) enabled!: string[];
  @IsArray() @IsString({ each: true }) disabled!: string[];
  /** What may be used only where a quota covers it: resource, matchContains, matchScopes. */
  @IsListOf(LimitedResourceShape) limitedResources!: LimitedResourceShape[];
  /** Defaults of namespaces that say nothing of pod security, and who and what is not looked at. */
  @IsOptional() @IsObject() podSecurity?: JsonObject;
}

/** The first event of a fork: everything before it is the parent's log, up to `position`. */
export class LogForked {
  static readonly version = 1;
  /** Id of the parent's first event. */
  @IsString() parent!: string;
  /** The last position of the parent that is history of the fork. */
  @IsInt() position!: number;
  /** Events of the cluster up to there, and the root of the tree over them; absent where nobody has sealed it. */
  @IsOptional() @IsInt() events?: number;
  @IsOptional() @IsString() root?: string;
}

/** These controllers decide nothing more in this process; what they decided before may still be written after it. */
export class ControllersStopped {
  static readonly version = 1;
  @IsArray() @IsString({ each: true }) controllers!: string[];
}

/** The last append of a writer that ended in order. */
export class ProcessStopped {
  static readonly version = 1;
  /** Numbers of its appends that it gave and nothing was written under. */
  @IsArray() @IsInt({ each: true }) absent!: number[];
}
