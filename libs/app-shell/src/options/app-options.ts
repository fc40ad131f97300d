import { IsA, IsMapOf, IsOptional, IsString, IsThat } from '#libs/validation';
import { ApiserverOptions } from './apiserver-options';
import { ClockOptions } from './clock-options';
import { ControllerManagerOptions } from './controller-manager-options';
import { expected } from './expected';
import { KubeletOptions } from './kubelet-options';
import { SchedulerOptions } from './scheduler-options';
import { ServiceAccountOptions } from './service-account-options';

const isName = (value: unknown): boolean => typeof value === 'string' && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value);
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string');

/** What an operator may set, for all apps together; each app reads its part. */
export class AppOptions {
  /** Name of the cluster, the first word of its stream names. */
  @IsThat('a name of lower-case letters, digits and -', isName) cluster!: string;
  @IsString(expected.text) seed!: string;
  /** Version of the program, for the record of each start. */
  @IsOptional() @IsString(expected.text) build?: string;
  /** Absent: real time. */
  @IsOptional() @IsA(ClockOptions) clock?: ClockOptions;
  /** Controllers to run of each app: `pdb-controller/eviction` runs that one alone. Absent: all. */
  @IsOptional() @IsMapOf('lists of controllers', isNames) controllers?: Readonly<Record<string, readonly string[]>>;
  @IsOptional() @IsA(ApiserverOptions) apiserver?: ApiserverOptions;
  @IsOptional() @IsA(SchedulerOptions) scheduler?: SchedulerOptions;
  @IsOptional() @IsA(KubeletOptions) kubelet?: KubeletOptions;
  @IsOptional() @IsA(ControllerManagerOptions) controllerManager?: ControllerManagerOptions;
  /** For the API server, which issues tokens and believes them, and the controller manager, which fills Secrets with them. */
  @IsOptional() @IsA(ServiceAccountOptions) serviceAccounts?: ServiceAccountOptions;
}
