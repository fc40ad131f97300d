import { forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import { validateClientConfig } from '../../kinds/admissionregistration/client-config';
import { isDns1035Label } from '../../validation/formats';
import { isSet, listOf, type Errors } from '../../validation/values';
import { bundleProblem } from './ca-bundle';
import { reviewVersions, type DefinitionRules } from './options';
import type { DefinitionConversion } from './types';

const strategies = ['None', 'Webhook'];
const at = 'spec.conversion';

/** How objects go from one version to another (upstream `validateCustomResourceConversion`). */
export function validateConversion({ strategy = '', webhook }: DefinitionConversion, rules: DefinitionRules, errors: Errors): void {
  if (strategy === '') errors.push(required(`${at}.strategy`));
  else if (!strategies.includes(strategy)) errors.push(unsupported(`${at}.strategy`, strategy, strategies));
  const config = webhook?.clientConfig;
  const versions = listOf(webhook?.conversionReviewVersions) as string[];
  if (strategy !== 'Webhook') {
    const text = 'should not be set when strategy is not set to Webhook';
    if (isSet(config)) errors.push(forbidden(`${at}.webhookClientConfig`, text));
    if (versions.length > 0) errors.push(forbidden(`${at}.conversionReviewVersions`, text));
    return;
  }
  if (!config) errors.push(required(`${at}.webhookClientConfig`, 'required when strategy is set to Webhook'));
  else {
    validateClientConfig(config, `${at}.webhookClientConfig`, errors);
    const problem = rules.validBundle && config.caBundle ? bundleProblem(config.caBundle) : undefined;
    if (problem !== undefined) errors.push(invalidValue(`${at}.webhookClientConfig.caBundle`, config.caBundle, problem));
  }
  validateReviewVersions(versions, rules.recognizedReviewVersion, errors);
}

function validateReviewVersions(versions: readonly string[], requiresKnown: boolean, errors: Errors): void {
  const field = `${at}.conversionReviewVersions`;
  if (versions.length === 0) {
    errors.push(required(field));
    return;
  }
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalidValue(`${field}[${index}]`, version, 'duplicate version'));
    else for (const text of isDns1035Label(version)) errors.push(invalidValue(`${field}[${index}]`, version, text));
    seen.add(version);
  }
  if (requiresKnown && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidValue(field, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
}
