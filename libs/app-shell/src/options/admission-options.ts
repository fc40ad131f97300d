import { IsArray, IsListOf, IsObject, IsOptional, IsString } from '#libs/validation';
import { expected } from './expected';

class ScopeRequirementOptions {
  @IsString(expected.text) scopeName!: string;
  @IsString(expected.text) operator!: string;
  @IsOptional() @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) values?: string[];
}

class LimitedResourceOptions {
  /** `pods`, `deployments.apps`. */
  @IsString(expected.text) resource!: string;
  @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) matchContains!: string[];
  @IsListOf(ScopeRequirementOptions) matchScopes!: ScopeRequirementOptions[];
}

/** What built-in admission goes by, beside upstream's defaults (`AdmissionConfiguration` of kube-api). */
export class AdmissionOptions {
  /** Names of plug-ins. */
  @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) enabled!: string[];
  @IsArray(expected.texts) @IsString({ each: true, ...expected.texts }) disabled!: string[];
  @IsListOf(LimitedResourceOptions) limitedResources!: LimitedResourceOptions[];
  /** Defaults and exemptions. */
  @IsOptional() @IsObject(expected.settings) podSecurity?: object;
}
