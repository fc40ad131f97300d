import { IsInt, IsOptional, Min } from '#libs/validation';

const wholeNumber = { message: 'a whole number, 0 or more' };

/** Which versions the API answers with 410, as a server whose store is compacted: all before one place, which moves on by itself. At most one is set. */
export class CompactionOptions {
  /** Those older than this, ms of cluster time. */
  @IsOptional() @IsInt(wholeNumber) @Min(0, wholeNumber) ageMs?: number;
  /** Those with more events than this after them. */
  @IsOptional() @IsInt(wholeNumber) @Min(0, wholeNumber) events?: number;
  /** Those before this one, for good. */
  @IsOptional() @IsInt(wholeNumber) @Min(0, wholeNumber) version?: number;
}
