import { IsNumber, IsPositive } from '#libs/validation';
import { expected } from './expected';

/** Settings by which several processes have the same cluster time. */
export class ClockOptions {
  /** Cluster seconds a real second. */
  @IsPositive(expected.positive) speed!: number;
  /** Cluster time at `origin`, ms since the epoch. */
  @IsNumber({}, expected.time) start!: number;
  /** Real time, ms since the epoch. */
  @IsNumber({}, expected.time) origin!: number;
}
