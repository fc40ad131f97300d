import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn, setAbsent, setEmpty } from '../../defaults/draft';
import { age, nameOf, none, rowOf } from '../../printing/cell';
import { forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { validateMetadata } from '../../validation/metadata';
import { isSet, validateSupported, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { allMetadata, validateFlowConditions } from './conditions';
import { mandatoryLevelSpecs } from './server-objects';

const queuesMax = 10_000_000;
/** What a request's hash gives to choose a hand of queues with, in bits. */
const entropyBitsMax = 60;
const roundTripAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

function setLevelDefaults(level: JsonObject): void {
  const spec = objectIn(level, 'spec') ?? {};
  const exempt = objectIn(spec, 'exempt');
  if (exempt) {
    setAbsent(exempt, 'nominalConcurrencyShares', 0);
    setAbsent(exempt, 'lendablePercent', 0);
  }
  const limited = objectIn(spec, 'limited');
  if (!limited) return;
  setAbsent(limited, 'nominalConcurrencyShares', 30);
  setAbsent(limited, 'lendablePercent', 0);
  const queuing = objectIn(objectIn(limited, 'limitResponse') ?? {}, 'queuing');
  if (!queuing) return;
  setEmpty(queuing, 'handSize', 8);
  setEmpty(queuing, 'queues', 64);
  setEmpty(queuing, 'queueLengthLimit', 50);
}

function validateLevel(level: KubeObject, errors: Errors): void {
  validateMetadata(level.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  if (level.metadata.annotations && Object.hasOwn(level.metadata.annotations, roundTripAnnotation)) {
    errors.push(forbidden('metadata.annotations', `annotation '${roundTripAnnotation}' is forbidden`));
  }
  const { name = '' } = level.metadata;
  const spec: Loose = level.spec ?? {};
  validateSpec(spec, name, errors);
  validateMandatory(spec, name, errors);
  validateFlowConditions(level.status, errors);
}

function validateSpec({ type = '', exempt, limited }: Loose, name: string, errors: Errors): void {
  if ((name === 'exempt') !== (type === 'Exempt')) {
    errors.push(invalidValue('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === 'Exempt') {
    if (isSet(limited)) errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'));
    if (isSet(exempt)) validateShares(exempt, 'spec.exempt', errors);
  } else if (type === 'Limited') {
    if (isSet(exempt)) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
    if (isSet(limited)) validateLimited(limited, 'spec.limited', errors);
    else errors.push(required('spec.limited', 'must not be empty when type is Limited'));
  } else errors.push(unsupported('spec.type', type, ['Exempt', 'Limited']));
}

function validateShares({ nominalConcurrencyShares: shares, lendablePercent }: Loose, field: string, errors: Errors): void {
  if (shares < 0) errors.push(invalidValue(`${field}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'));
  validatePercent(lendablePercent, `${field}.lendablePercent`, errors);
}

function validatePercent(percent: unknown, field: string, errors: Errors): void {
  if (typeof percent !== 'number' || (percent >= 0 && percent <= 100)) return;
  errors.push(invalidValue(field, percent, 'must be between 0 and 100, inclusive'));
}

function validateLimited(limited: Loose, field: string, errors: Errors): void {
  const { nominalConcurrencyShares: shares, limitResponse = {}, borrowingLimitPercent: borrowing } = limited;
  if (shares < 0) errors.push(invalidValue(`${field}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'));
  const at = `${field}.limitResponse`;
  if (limitResponse.type === 'Reject') {
    if (isSet(limitResponse.queuing)) {
      errors.push(forbidden(`${at}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'));
    }
  } else if (limitResponse.type !== 'Queue') validateSupported(limitResponse.type, ['Queue', 'Reject'], `${at}.type`, errors);
  else if (isSet(limitResponse.queuing)) validateQueuing(limitResponse.queuing, `${at}.queuing`, errors);
  else errors.push(required(`${at}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'));
  validatePercent(limited.lendablePercent, `${field}.lendablePercent`, errors);
  if (borrowing < 0) {
    errors.push(invalidValue(`${field}.borrowingLimitPercent`, borrowing, 'if specified, must be a non-negative integer'));
  }
}

function validateQueuing({ queues = 0, handSize = 0, queueLengthLimit = 0 }: Loose, field: string, errors: Errors): void {
  if (queueLengthLimit <= 0) errors.push(invalidValue(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalidValue(`${field}.queues`, queues, 'must be positive'));
  else if (queues > queuesMax) errors.push(invalidValue(`${field}.queues`, queues, `must not be greater than ${queuesMax}`));
  const refuse = (text: string): unknown => errors.push(invalidValue(`${field}.handSize`, handSize, text));
  if (handSize <= 0) refuse('must be positive');
  else if (handSize > queues) refuse(`should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > entropyBitsMax) {
    refuse(`required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${entropyBitsMax}`);
  }
}

function validateMandatory(spec: Loose, name: string, errors: Errors): void {
  const fixed = mandatoryLevelSpecs.get(name);
  if (!fixed) return;
  const isExempt = name === 'exempt';
  const compared = isExempt ? { ...spec, exempt: (fixed as Loose).exempt } : spec;
  if (semanticEqual(compared, fixed)) return;
  const text = `spec of '${name}' ${isExempt ? "except the 'spec.exempt' field " : ''}must equal the fixed value`;
  errors.push(invalidValue('spec', goShape('PriorityLevelConfigurationSpec', spec), text));
}

export const prioritylevelconfigurations: KindDescription = {
  name: 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  served: true,
  generation: 'managed',
  formerVersions: ['v1beta1', 'v1beta2', 'v1beta3'].map((version) => `flowcontrol.apiserver.k8s.io/${version}`),
  setDefaults: setLevelDefaults,
  strategy: { statusKeeps: allMetadata },
  validation: {
    create: validateLevel,
    update: (updated, _, errors) => validateLevel(updated, errors),
    subresources: { status: (updated, _, errors) => validateFlowConditions(updated.status, errors) },
  },
  row: rowOf((level, now) => {
    const { type = '', limited } = (level.spec ?? {}) as Loose;
    const queuing = limited?.limitResponse?.queuing;
    const shares = limited ? (limited.nominalConcurrencyShares ?? 0) : none;
    const queues = queuing ? [queuing.queues ?? 0, queuing.handSize ?? 0, queuing.queueLengthLimit ?? 0] : [none, none, none];
    return [nameOf(level), type, shares, ...queues, age(level, now)];
  }),
};
