import type { JsonObject } from '#libs/kernel';
import { IsArray, IsObject, IsOptional, IsString } from '#libs/validation';
import { expected } from './expected';

export class SchedulerOptions {
  /** A KubeSchedulerConfiguration; the scheduler itself reads and checks it. */
  @IsOptional() @IsObject({ message: 'a KubeSchedulerConfiguration' }) config?: JsonObject;
  /** JavaScript modules that export a `registry` of plugins, as absolute paths. */
  @IsOptional() @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) plugins?: readonly string[];
  /** Name of this scheduler among several. */
  @IsOptional() @IsString(expected.text) identity?: string;
}
