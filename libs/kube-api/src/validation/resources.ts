import type { Quantity } from '#libs/kernel';
import { formatQuantity, parseQuantity } from '#libs/kernel';
import { duplicate, forbidden, invalidValue, notFoundValue, required, unsupported } from '../status/field-error';
import { isQualifiedName } from './formats';
import type { Errors, Loose } from './values';
import { entriesOf, listOf, negativeText, validateDnsLabel, validateTexts } from './values';

const standardContainer = new Set(['cpu', 'memory', 'ephemeral-storage']);
const standard = new Set([
  ...standardContainer,
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'storage',
  'requests.storage',
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const hugePages = 'hugepages-';

/** What quotas count, beside what has a domain. */
export function isQuotaResource(name: string): boolean {
  return (name !== 'storage' && standard.has(name)) || name.startsWith('requests.hugepages-') || name.startsWith(hugePages);
}

/** Resources of Kubernetes itself: without a domain, or within `kubernetes.io/`. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Resources that nodes count as whole units and that cannot be promised twice. */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0;
}

/** Of others the limit is the request. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !name.startsWith(hugePages);
}

function isWholeUnits(name: string): boolean {
  return isExtendedResource(name) || wholeCounts.has(name);
}

const wholeCounts = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

export function validateResourceName(name: string, field: string, errors: Errors): boolean {
  const texts = isQualifiedName(name);
  validateTexts(texts, name, field, errors);
  if (texts.length > 0) return false;
  if (!name.includes('/') && !standard.has(name) && !isQuotaResource(name)) {
    errors.push(invalidValue(field, name, 'must be a standard resource type or fully qualified'));
    return false;
  }
  return true;
}

export function validateContainerResourceName(name: string, field: string, errors: Errors): void {
  validateResourceName(name, field, errors);
  if (!name.includes('/')) {
    if (!standardContainer.has(name) && !name.startsWith(hugePages)) {
      errors.push(invalidValue(field, name, 'must be a standard resource for containers'));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalidValue(field, name, "doesn't follow extended resource name standard"));
  }
}

function validatePodResourceName(name: string, field: string, errors: Errors): void {
  if (!validateResourceName(name, field, errors)) return;
  if (name !== 'cpu' && name !== 'memory' && !name.startsWith(hugePages)) {
    errors.push(unsupported(field, name, ['cpu', hugePages, 'memory']));
  }
}

const zero: Quantity = { nano: 0n, format: 'DecimalSI' };

export function quantityOf(value: unknown): Quantity {
  return parseQuantity(value) ?? zero;
}

const nano = 1_000_000_000n;

/**
 * Whether upstream takes the quantity for one with a fraction: it looks at thousandths in 64 bits, where whole numbers of more than about
 * nine million billion run over and seem to have one. Those that are written with a large decimal suffix count as whole.
 */
export function isFractional(value: unknown): boolean {
  const quantity = quantityOf(value);
  if (quantity.nano % nano !== 0n) return true;
  const milli = (quantity.nano / nano) * 1000n;
  const kept = BigInt.asIntN(64, milli);
  return kept !== milli && kept % 1000n !== 0n && !/([GTPE]|[eE]\d+)$/.test(String(value));
}

/** Not negative, and whole where the resource is counted in units. */
export function validateResourceValue(name: string, value: unknown, field: string, errors: Errors): void {
  const quantity = quantityOf(value);
  if (quantity.nano < 0n) errors.push(invalidValue(field, formatQuantity(quantity), negativeText));
  if (isWholeUnits(name) && isFractional(value)) {
    errors.push(invalidValue(field, formatQuantity(quantity), 'must be an integer'));
  }
}

function validateHugePages(name: string, value: unknown, field: string, errors: Errors): void {
  const page = parseQuantity(name.slice(hugePages.length));
  const quantity = quantityOf(value);
  const divisible = page && page.nano > 0n && quantity.nano >= 0n && quantity.nano % page.nano === 0n;
  if (!divisible) {
    const shown = formatQuantity(quantity);
    errors.push(invalidValue(field, shown, `${shown} is not positive integer multiple of ${name}`));
  }
}

type NameRule = (name: string, field: string, errors: Errors) => void;

/** `resources` of a container. `claims`: the names in the pod's `resourceClaims`. */
export function validateContainerResources(resources: Loose, claims: ReadonlySet<string>, field: string, errors: Errors): void {
  if (resources) validateRequirements(resources, validateContainerResourceName, claims, field, errors);
}

/** `resources` of a whole pod: processor, memory and huge pages only. */
export function validatePodLevelResources(resources: Loose, claims: ReadonlySet<string>, field: string, errors: Errors): void {
  if (resources.claims) errors.push(forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level'));
  validateRequirements(resources, validatePodResourceName, claims, field, errors);
}

function validateRequirements(resources: Loose, nameRule: NameRule, claims: ReadonlySet<string>, field: string, errors: Errors): void {
  let basic = false;
  let huge = false;
  const note = (name: string) => {
    basic ||= name === 'cpu' || name === 'memory';
    huge ||= name.startsWith(hugePages);
  };
  for (const [name, value] of entriesOf(resources.limits)) {
    validateAmount(name, value, nameRule, `${field}.limits[${name}]`, errors);
    if (name.startsWith(hugePages)) validateHugePages(name, value, `${field}.limits[${name}]`, errors);
    note(name);
  }
  for (const [name, value] of entriesOf(resources.requests)) {
    validateAmount(name, value, nameRule, `${field}.requests[${name}]`, errors);
    validateAgainstLimit(name, value, resources.limits, field, errors);
    if (name.startsWith(hugePages)) validateHugePages(name, value, `${field}.requests[${name}]`, errors);
    note(name);
  }
  if (huge && !basic) errors.push(forbidden(field, 'HugePages require cpu or memory'));
  validateClaims(resources.claims, claims, `${field}.claims`, errors);
}

function validateAmount(name: string, value: unknown, nameRule: NameRule, field: string, errors: Errors): void {
  nameRule(name, field, errors);
  validateResourceValue(name, value, field, errors);
}

function validateAgainstLimit(name: string, value: unknown, limits: Loose, field: string, errors: Errors): void {
  const limit = limits && Object.hasOwn(limits, name) ? quantityOf(limits[name]) : undefined;
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) errors.push(required(`${field}.limits`, 'Limit must be set for non overcommitable resources'));
    return;
  }
  const request = quantityOf(value);
  const shown = formatQuantity(request);
  if (request.nano !== limit.nano && !isOvercommitAllowed(name)) {
    errors.push(invalidValue(`${field}.requests`, shown, `must be equal to ${name} limit of ${formatQuantity(limit)}`));
  } else if (request.nano > limit.nano) {
    errors.push(invalidValue(`${field}.requests`, shown, `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`));
  }
}

function validateClaims(list: unknown, known: ReadonlySet<string>, field: string, errors: Errors): void {
  const names = new Set<string>();
  for (const [index, claim] of listOf(list).entries()) {
    const at = `${field}[${index}]`;
    const name: string = claim.name ?? '';
    if (name === '') {
      errors.push(required(at));
      continue;
    }
    if (names.has(name)) errors.push(duplicate(at, name));
    else {
      const key = claim.request ? `${name}/${claim.request}` : name;
      if (claim.request) validateDnsLabel(claim.request, `${at}.request`, errors);
      if (names.has(key)) errors.push(duplicate(at, key));
      else if (!claim.request) {
        for (const other of names) if (other.startsWith(`${name}/`)) errors.push(duplicate(at, name));
      }
      names.add(key);
    }
    if (!known.has(name)) {
      const rest = known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
      errors.push(notFoundValue(at, name, `must be one of the names in pod.spec.resourceClaims${rest}`));
    }
  }
}

/** Sum of requests of what runs together, compared with the pod's own; single limits against the pod's. */
export function validatePodResourceConsistency(spec: Loose, field: string, errors: Errors): void {
  const requests = spec.resources?.requests ?? {};
  for (const [name, sum] of sumsOf(spec, 'requests')) {
    // A resource that the pod does not name is its containers' affair.
    if (!Object.hasOwn(requests, name)) continue;
    const own = quantityOf(requests[name]);
    if (sum.nano > own.nano) {
      const text = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`;
      errors.push(invalidValue(`${field}.requests[${name}]`, formatQuantity(own), text));
    }
  }
  const limits = spec.resources?.limits ?? {};
  // Huge pages are not overcommitted: of them the limits count as the requests do.
  for (const [name, sum] of sumsOf(spec, 'limits')) {
    if (!name.startsWith(hugePages) || !Object.hasOwn(limits, name)) continue;
    const own = quantityOf(limits[name]);
    if (sum.nano > own.nano) {
      const text = `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`;
      errors.push(invalidValue(`${field}.limits[${name}]`, formatQuantity(own), text));
    }
  }
  for (const [index, container] of listOf(spec.containers).entries()) {
    for (const [name, value] of entriesOf(container.resources?.limits)) {
      if (!Object.hasOwn(limits, name) || quantityOf(value).nano <= quantityOf(limits[name]).nano) continue;
      const text = `must be less than or equal to pod limits of ${formatQuantity(quantityOf(limits[name]))}`;
      errors.push(invalidValue(`${field}.containers[${index}][${name}].limits`, formatQuantity(quantityOf(value)), text));
    }
  }
}

type Part = 'requests' | 'limits';

/** What the containers of a pod ask for together, while they run or while the largest init container does. */
function sumsOf(spec: Loose, part: Part): Map<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const container of listOf(spec.containers)) addAmounts(sums, container, part);
  addInitAmounts(sums, listOf(spec.initContainers), part);
  return sums;
}

function addAmounts(sums: Map<string, Quantity>, container: Loose, part: Part): void {
  for (const [name, value] of entriesOf(container.resources?.[part])) {
    const quantity = quantityOf(value);
    const sum = sums.get(name);
    sums.set(name, sum ? { nano: sum.nano + quantity.nano, format: sum.format } : quantity);
  }
}

/** Init containers run alone, beside the sidecars started before them: the pod needs the larger of both. */
function addInitAmounts(sums: Map<string, Quantity>, initContainers: Loose[], part: Part): void {
  const sidecars = new Map<string, Quantity>();
  const peaks = new Map<string, Quantity>();
  for (const container of initContainers) {
    if (container.restartPolicy === 'Always') {
      addAmounts(sums, container, part);
      addAmounts(sidecars, container, part);
      continue;
    }
    for (const [name, value] of entriesOf(container.resources?.[part])) {
      const quantity = quantityOf(value);
      const total = quantity.nano + (sidecars.get(name)?.nano ?? 0n);
      if (total > (peaks.get(name)?.nano ?? -1n)) peaks.set(name, { nano: total, format: quantity.format });
    }
  }
  for (const [name, peak] of peaks) if (peak.nano > (sums.get(name)?.nano ?? -1n)) sums.set(name, peak);
}
