import type { GroupResource, KubeObject } from '#libs/kernel';
import { addTo, excess, masked, readList, sameAmounts, type ResourceList } from '../resources';
import { amountsText, type Demand } from './demand';
import type { LimitedResource } from './limited-resources';
import { isInScope, scopesOf, scopesText, type ScopeRequirement } from './scopes';
import { isTracked } from './tracked';

/** A write as quotas judge it. */
export interface QuotaRequest {
  readonly resource: GroupResource;
  readonly demand: Demand;
  /** What the object took before an update. */
  readonly before?: Demand;
  /** Amounts that a write to the status brings are counted and never refused. */
  readonly isStatus?: boolean;
}

/** A quota, and what is used of it by now. */
export interface RunningQuota {
  readonly quota: KubeObject;
  readonly used: ResourceList;
  /** It has been charged for this write already. */
  readonly isCharged?: boolean;
}

export type QuotaVerdict =
  /** What each quota is to be charged with, in the order of the quotas; empty: nothing. */
  | { kind: 'fits'; charges: ReadonlyMap<RunningQuota, ResourceList> }
  /** The reason behind `RES "name" is forbidden: `. */
  | { kind: 'forbidden'; reason: string }
  /** Upstream answers with an error that is no refusal. */
  | { kind: 'error'; text: string };

const forbidden = (reason: string): QuotaVerdict => ({ kind: 'forbidden', reason });
const free: QuotaVerdict = { kind: 'fits', charges: new Map() };

/**
 * Whether a write fits all quotas of its namespace (upstream `CheckRequest`): a quota that covers it wants it to say what it uses, has to know
 * what is used already, and must have room left.
 * @param limited what needs a quota that covers it, by the configuration of the server
 */
export function checkQuotas(
  quotas: readonly RunningQuota[],
  request: QuotaRequest,
  limited: readonly LimitedResource[] = [],
): QuotaVerdict {
  const covering: RunningQuota[] = [];
  const covered = new Set<string>();
  for (const running of quotas) {
    const { quota } = running;
    if (!covers(quota, request.resource, request.demand)) continue;
    const tracked = trackedNames(quota, request.resource);
    const reason = unready(running, tracked, request.demand);
    if (reason !== undefined) return forbidden(reason);
    covering.push(running);
    for (const name of tracked) covered.add(name);
  }
  const negative = [...request.demand.usage].filter(([, { nano }]) => nano < 0n).map(([name]) => name);
  if (negative.length > 0) return forbidden(`quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const added = new Map(covering.map((running) => [running, addedTo(running.quota, request)] as const).filter(([, list]) => list.size > 0));
  if (covering.length > 0 ? added.size === 0 : withoutZeros(deltaOf(request)).size === 0) return free;
  const uncovered = uncoveredBy(quotas, request, covered, limited);
  return uncovered ?? charged(added, request);
}

/** Whether the quota says something about the object. */
export function covers(quota: KubeObject, resource: GroupResource, { traits }: Demand): boolean {
  if (trackedNames(quota, resource).length === 0) return false;
  return scopesOf(quota).every((requirement) => isInScope(resource, traits, requirement));
}

/** The resources of a quota in force that objects of the kind take. */
function trackedNames({ status }: KubeObject, resource: GroupResource): string[] {
  return Object.keys(status?.hard ?? {})
    .filter((name) => isTracked(resource, name))
    .sort();
}

function unready({ quota, used }: RunningQuota, tracked: readonly string[], { unset = {} }: Demand): string | undefined {
  const { name } = quota.metadata;
  const missing = Object.keys(unset)
    .filter((resource) => tracked.includes(resource))
    .sort();
  if (missing.length > 0) {
    const texts = missing.map((resource) => `${resource} for: ${[...new Set(unset[resource])].sort().join(',')}`);
    return `failed quota: ${name}: must specify ${texts.join('; ')}`;
  }
  if (tracked.some((resource) => !used.has(resource))) return `status unknown for quota: ${name}, resources: ${tracked.join(',')}`;
  return undefined;
}

/** What the write takes more than before, whichever quota counts it. */
function deltaOf({ demand, before }: QuotaRequest): ResourceList {
  return before ? excess(demand.usage, before.usage) : demand.usage;
}

/** An object that the quota did not cover before is charged whole. */
function addedTo(quota: KubeObject, request: QuotaRequest): ResourceList {
  const { resource, demand, before } = request;
  return withoutZeros(before && covers(quota, resource, before) ? deltaOf(request) : demand.usage);
}

function withoutZeros(list: ResourceList): ResourceList {
  return new Map([...list].filter(([, { nano }]) => nano !== 0n));
}

/** What may only be used where a quota covers it, and none does. */
function uncoveredBy(
  quotas: readonly RunningQuota[],
  { resource, demand }: QuotaRequest,
  covered: ReadonlySet<string>,
  limited: readonly LimitedResource[],
): QuotaVerdict | undefined {
  const inScope = (requirements: readonly ScopeRequirement[]): ScopeRequirement[] =>
    requirements.filter((requirement) => isInScope(resource, demand.traits, requirement));
  const consumed = [...demand.usage].filter(([, { nano }]) => nano > 0n).map(([name]) => name);
  const names = limited
    .filter((each) => each.resource === resource)
    .flatMap(({ matchContains }) => consumed.filter((name) => matchContains.some((part) => name.includes(part))));
  const insufficient = [...new Set(names)].filter((name) => !covered.has(name)).sort();
  if (insufficient.length > 0) return forbidden(`insufficient quota to consume: ${insufficient.join(',')}`);
  const known = new Set(quotas.flatMap(({ quota }) => inScope(scopesOf(quota))).map(({ scopeName }) => scopeName));
  const open = limited.flatMap(({ matchScopes }) => inScope(matchScopes)).filter(({ scopeName }) => !known.has(scopeName));
  return open.length > 0 ? { kind: 'error', text: `insufficient quota to match these scopes: ${scopesText(open)}` } : undefined;
}

function charged(added: ReadonlyMap<RunningQuota, ResourceList>, { isStatus }: QuotaRequest): QuotaVerdict {
  const charges = new Map<RunningQuota, ResourceList>();
  for (const [running, list] of added) {
    if (running.isCharged) continue;
    const hard = readList(running.quota.status?.hard);
    const requested = masked(list, hard);
    const used: ResourceList = new Map(running.used);
    addTo(used, requested);
    const exceeded = new Set([...requested.keys()].filter((name) => amountOf(used, name) > amountOf(hard, name)));
    if (exceeded.size > 0 && !isStatus) {
      const [asked, before, limit] = [requested, running.used, hard].map((of) => amountsText(masked(of, exceeded)));
      return forbidden(`exceeded quota: ${running.quota.metadata.name}, requested: ${asked}, used: ${before}, limited: ${limit}`);
    }
    if (!sameAmounts(used, running.used)) charges.set(running, requested);
  }
  return { kind: 'fits', charges };
}

function amountOf(list: ResourceList, name: string): bigint {
  return list.get(name)?.nano ?? 0n;
}
