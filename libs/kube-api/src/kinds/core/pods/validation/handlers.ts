import { forbidden, invalidValue, required } from '../../../../status/field-error';
import { isHttpHeaderName } from '../../../../validation/formats';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateNonNegative, validatePort, validateSupported, validateTexts } from '../../../../validation/values';

type HandlerRule = (action: Loose, field: string, errors: Errors) => void;

const exec: HandlerRule = (action, field, errors) => {
  if (listOf(action.command).length === 0) errors.push(required(`${field}.command`));
};

const httpGet: HandlerRule = (action, field, errors) => {
  if (!action.path) errors.push(required(`${field}.path`));
  validatePort(action.port, `${field}.port`, errors);
  validateSupported(action.scheme ?? '', ['HTTP', 'HTTPS'], `${field}.scheme`, errors);
  for (const { name = '' } of listOf(action.httpHeaders)) validateTexts(isHttpHeaderName(name), name, `${field}.httpHeaders`, errors);
};

const port: HandlerRule = (action, field, errors) => validatePort(action.port, `${field}.port`, errors);

const probeHandlers: [string, HandlerRule][] = [
  ['exec', exec],
  ['httpGet', httpGet],
  ['tcpSocket', port],
  ['grpc', port],
];

function validateHandler(handler: Loose, rules: readonly [string, HandlerRule][], field: string, errors: Errors): void {
  let found = 0;
  for (const [key, rule] of rules) {
    if (!isSet(handler[key])) continue;
    if (found > 0) errors.push(forbidden(`${field}.${key}`, 'may not specify more than 1 handler type'));
    else rule(handler[key], `${field}.${key}`, errors);
    found++;
  }
  if (found === 0) errors.push(required(field, 'must specify a handler type'));
}

const probeNumbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

/** `liveness` and `startup` must succeed once; only they may bring their own grace. */
export function validateProbe(kind: 'liveness' | 'readiness' | 'startup', probe: Loose, field: string, errors: Errors): void {
  if (!isSet(probe)) return;
  validateHandler(probe, probeHandlers, field, errors);
  for (const key of probeNumbers) validateNonNegative(probe[key], `${field}.${key}`, errors);
  const grace = probe.terminationGracePeriodSeconds;
  if (isSet(grace) && grace <= 0) errors.push(invalidValue(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  if (kind === 'readiness') {
    if (isSet(grace)) errors.push(invalidValue(`${field}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
  } else if (probe.successThreshold !== 1) {
    errors.push(invalidValue(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  }
}

/** `graceSeconds`: the pod's; a sleep must end within it. */
export function validateLifecycle(lifecycle: Loose, graceSeconds: number | undefined, field: string, errors: Errors): void {
  if (!isSet(lifecycle)) return;
  const sleep: HandlerRule = ({ seconds = 0 }, at, found) => {
    if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return;
    found.push(invalidValue(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`));
  };
  const rules: [string, HandlerRule][] = [
    ['exec', exec],
    ['httpGet', httpGet],
    ['tcpSocket', port],
    ['sleep', sleep],
  ];
  for (const hook of ['postStart', 'preStop']) {
    if (isSet(lifecycle[hook])) validateHandler(lifecycle[hook], rules, `${field}.${hook}`, errors);
  }
}
