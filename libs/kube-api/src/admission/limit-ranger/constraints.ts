import { formatQuantity, type JsonObject, type KubeObject, type Quantity } from '#libs/kernel';
import { containersOf, podResources, readList, type PodResourcesOptions, type ResourceList } from '../../resources';
import { limitsOf, type Limit } from './limits';

/** What is asked for, and what may be used. */
interface Asked {
  requests: ResourceList;
  limits: ResourceList;
}

type Constraint = (type: string, name: string, enforced: Quantity, asked: Asked) => string | undefined;

/** What the pod is refused for, container by container and as a whole, each text once. */
export function podViolations(pod: KubeObject, limitRange: KubeObject): string[] {
  const containers = [...containersOf(pod, 'containers'), ...containersOf(pod, 'initContainers')];
  return distinct(
    limitsOf(limitRange).flatMap((limit) => {
      if (limit.type === 'Container')
        return containers.flatMap(({ resources }) =>
          violations(limit, { requests: readList(resources?.requests), limits: readList(resources?.limits) }),
        );
      if (limit.type !== 'Pod') return [];
      return violations(limit, { requests: podResources(pod, 'requests', asSpecified), limits: podResources(pod, 'limits', asSpecified) });
    }),
  );
}

/** Only what the spec says, without overhead; for the whole pod, processor and memory may be given. */
const asSpecified: PodResourcesOptions = { isPodLevel: (name) => name === 'cpu' || name === 'memory' };

export function claimViolations(claim: KubeObject, limitRange: KubeObject): string[] {
  const requests = readList((claim.spec?.resources as { requests?: JsonObject } | undefined)?.requests);
  const asked = { requests, limits: new Map() };
  return distinct(
    limitsOf(limitRange).flatMap((limit) => {
      if (limit.type !== 'PersistentVolumeClaim') return [];
      return [...each(limit.type, limit.min, asked, minimum), ...each(limit.type, limit.max, asked, maximumRequest)];
    }),
  );
}

/** Several texts as upstream puts them together. */
export function joinedViolations(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function violations(limit: Limit, asked: Asked): string[] {
  return [
    ...each(limit.type, limit.min, asked, minimum),
    ...each(limit.type, limit.max, asked, maximum),
    ...each(limit.type, limit.maxLimitRequestRatio, asked, maximumRatio),
  ];
}

/** Upstream goes through the resources in no order; here it is that of their names. */
function each(type: string, enforced: JsonObject | undefined, asked: Asked, constraint: Constraint): string[] {
  const texts: string[] = [];
  for (const [name, quantity] of [...readList(enforced)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = constraint(type, name, quantity, asked);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

const minimum: Constraint = (type, name, enforced, { requests, limits }) => {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const text = `minimum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const compared = common(request, limit, enforced);
  if (!request) return `${text}.  No request is specified`;
  if (compared.request < compared.enforced) return `${text}, but request is ${formatQuantity(request)}`;
  if (limit && compared.limit < compared.enforced) return `${text}, but limit is ${formatQuantity(limit)}`;
  return undefined;
};

const maximum: Constraint = (type, name, enforced, { requests, limits }) => {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const text = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const compared = common(request, limit, enforced);
  if (!limit) return `${text}.  No limit is specified`;
  if (compared.limit > compared.enforced) return `${text}, but limit is ${formatQuantity(limit)}`;
  if (request && compared.request > compared.enforced) return `${text}, but request is ${formatQuantity(request)}`;
  return undefined;
};

const maximumRequest: Constraint = (type, name, enforced, { requests }) => {
  const request = requests.get(name);
  const text = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const compared = common(request, undefined, enforced);
  if (!request) return `${text}.  No request is specified`;
  return compared.request > compared.enforced ? `${text}, but request is ${formatQuantity(request)}` : undefined;
};

/** The only comparison that upstream makes with floating point. */
const maximumRatio: Constraint = (type, name, enforced, { requests, limits }) => {
  const { request, limit } = common(requests.get(name), limits.get(name), enforced);
  const text = `${name} max limit to request ratio per ${type} is ${formatQuantity(enforced)}`;
  if (request === 0n) return `${text}, but no request is specified or request is 0`;
  if (limit === 0n) return `${text}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  const isPrecise = rounded(enforced, whole) <= milliMax;
  const isOver = isPrecise ? ratio * 1000 > Number(rounded(enforced, milli)) : ratio > Number(rounded(enforced, whole));
  return isOver ? `${text}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
};

const whole = 1_000_000_000n;
const milli = 1_000_000n;
/** More than this in whole units cannot be told in thousandths (upstream `resource.MaxMilliValue`). */
const milliMax = (2n ** 63n - 1n) / 1000n;

/** Compared in thousandths where all three can be told so, else in whole units; both are rounded up. */
function common(
  request: Quantity | undefined,
  limit: Quantity | undefined,
  enforced: Quantity,
): Record<'request' | 'limit' | 'enforced', bigint> {
  const all = [request, limit, enforced];
  const unit = all.every((quantity) => rounded(quantity, whole) <= milliMax) ? milli : whole;
  return { request: rounded(request, unit), limit: rounded(limit, unit), enforced: rounded(enforced, unit) };
}

function rounded(quantity: Quantity | undefined, unit: bigint): bigint {
  const nano = quantity?.nano ?? 0n;
  const quotient = nano / unit;
  return nano % unit !== 0n && nano > 0n ? quotient + 1n : quotient;
}
