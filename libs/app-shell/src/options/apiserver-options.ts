import { IsA, IsArray, IsBoolean, IsInt, IsMapOf, IsOptional, IsString, IsThat, Max, Min } from '#libs/validation';
import { AdmissionOptions } from './admission-options';
import { AuditOptions } from './audit-options';
import { CompactionOptions } from './compaction-options';
import { expected, isPem } from './expected';

const isBound = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0;

/** The client certificate of the API server as a front proxy, and its CA; all PEM. */
export class FrontProxyOptions {
  @IsThat('PEM text', isPem) ca!: string;
  @IsThat('PEM text', isPem) certificate!: string;
  @IsThat('PEM text', isPem) privateKey!: string;
}

/** What the API server needs to know before it can listen. */
export class ApiserverOptions {
  @IsString({ message: 'an address to listen at' }) host!: string;
  /** 0: any free port. */
  @IsInt(expected.port) @Min(0, expected.port) @Max(65_535, expected.port) port!: number;
  /** PEM. */
  @IsThat('PEM text', isPem) certificate!: string;
  @IsThat('PEM text', isPem) privateKey!: string;
  /** PEM of the CA that signed the certificate. */
  @IsThat('PEM text', isPem) ca!: string;
  /** PEM of the CAs whose certificates tell who a client is; absent: `ca`. */
  @IsOptional() @IsThat('PEM text', isPem) clientCa?: string;
  /** How servers of aggregated APIs know this one; absent: it shows them no certificate. */
  @IsOptional() @IsA(FrontProxyOptions) frontProxy?: FrontProxyOptions;
  /** Bearer token of the administrator. */
  @IsThat('a text that is not empty', (value) => typeof value === 'string' && value !== '') token!: string;
  /** Apps of the control plane that run beside this one: what `componentstatuses` tells of. */
  @IsOptional() @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) apps?: readonly string[];
  /** What clients ask for is kept in the log, decoded. */
  @IsOptional() @IsBoolean() keepsRequests?: boolean;
  /** The folder below which Logs objects of kwok may name files; absent: none is read. */
  @IsOptional() @IsString() kwokFiles?: string;
  /** A simulated metrics server is registered in a cluster that never had one. */
  @IsOptional() @IsBoolean() metricsServer?: boolean;
  /** Absent: versions never expire. */
  @IsOptional() @IsA(CompactionOptions) compaction?: CompactionOptions;
  /** Absent: built-in admission is as upstream's is by default. */
  @IsOptional() @IsA(AdmissionOptions) admission?: AdmissionOptions;
  /** Absent: no requests are recorded. */
  @IsOptional() @IsA(AuditOptions) audit?: AuditOptions;
  /** Requests that only read, answered at once; absent or 0: any number. */
  @IsOptional() @IsInt(expected.count) @Min(0, expected.count) requestsInFlightMax?: number;
  /** Requests that change something, answered at once; absent or 0: any number. */
  @IsOptional() @IsInt(expected.count) @Min(0, expected.count) mutatingRequestsInFlightMax?: number;
  /** Bounds of the HTTP server other than its own, by name. */
  @IsOptional() @IsMapOf('whole numbers above 0', isBound) limits?: Readonly<Record<string, number>>;
}
