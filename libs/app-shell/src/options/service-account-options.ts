import { IsArray, IsBoolean, IsOptional, IsString } from '#libs/validation';
import { expected } from './expected';

/** How the tokens of service accounts are signed, and which are believed. */
export class ServiceAccountOptions {
  /** Who issues them; absent: `https://kubernetes.default.svc.cluster.local`. */
  @IsOptional() @IsString(expected.text) issuer?: string;
  /** Whom the API server is addressed as in tokens; absent: as the issuer. */
  @IsOptional() @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) audiences?: readonly string[];
  /** File of the private key, PEM; it is made when it is first needed. Absent: a key that is kept in memory alone. */
  @IsOptional() @IsString(expected.text) keyFile?: string;
  /** Files of further keys whose tokens are believed, PEM: a public key, a certificate, or a private key. */
  @IsOptional() @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) publicKeyFiles?: readonly string[];
  /** A pod's token of an hour goes on being taken for a year, as upstream's does by default; false: it ends when it says. */
  @IsOptional() @IsBoolean() extendsExpiration?: boolean;
}
