import { IsInt, IsObject, IsString, Min } from '#libs/validation';
import { expected } from './expected';

/** Which requests the API server records, and where. */
export class AuditOptions {
  /** `AuditPolicy` of kube-api, as its file was read. */
  @IsObject(expected.settings) policy!: object;
  /** Absolute; `-` is standard output. */
  @IsString(expected.text) path!: string;
  /** `json` or `legacy`. */
  @IsString(expected.text) format!: string;
  /** Of a file before the next one is begun. */
  @IsInt(expected.count) @Min(1, expected.count) bytesMax!: number;
  /** Files that are kept beside it; 0: all. */
  @IsInt(expected.count) @Min(0, expected.count) backupsMax!: number;
  /** Days for which they are kept; 0: for ever. */
  @IsInt(expected.count) @Min(0, expected.count) ageDaysMax!: number;
}
