import { IsBoolean, IsNumber, IsOptional, IsPositive } from '#libs/validation';
import { expected } from './expected';

/** Settings by which several processes have the same cluster time. */
export class ClockOptions {
  /** Cluster seconds a real second. */
  @IsPositive(expected.positive) speed!: number;
  /** Cluster time at `origin`, ms since the epoch. */
  @IsNumber({}, expected.time) start!: number;
  /** Real time, ms since the epoch. */
  @IsNumber({}, expected.time) origin!: number;
  /** It begins in the past, and goes with the wall clock once it has come to it. */
  @IsOptional() @IsBoolean() catchesUp?: boolean;
}
