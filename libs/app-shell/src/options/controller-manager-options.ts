import { parseQuantity } from '#libs/kernel';
import { isPem } from './expected';
import { IsA, IsInt, IsOptional, IsThat, Max, Min } from '#libs/validation';

const count = { message: 'a whole number from 0 to 20000' };
const pods = { message: 'a whole number from 0 to 10000' };
const isQuantity = (value: unknown): boolean => typeof value === 'string' && parseQuantity(value) !== undefined;

/** Nodes to simulate from the start. */
export class NodesOptions {
  @IsInt(count) @Min(0, count) @Max(20_000, count) count!: number;
  @IsThat('a quantity such as 4 or 500m', isQuantity) cpu!: string;
  @IsThat('a quantity such as 8Gi', isQuantity) memory!: string;
  @IsInt(pods) @Min(0, pods) @Max(10_000, pods) pods!: number;
}

/** A CA with its key, PEM. */
export class SignerOptions {
  @IsThat('PEM text', isPem) certificate!: string;
  @IsThat('PEM text', isPem) privateKey!: string;
}

export class ControllerManagerOptions {
  /** Signs what approved CertificateSigningRequests ask for; absent: nobody does. */
  @IsOptional() @IsA(SignerOptions) signer?: SignerOptions;
  @IsOptional() @IsA(NodesOptions) nodes?: NodesOptions;
}
