import { inSubsetOrder, subsetsInOrder } from './hashed-order';

export interface EndpointPort {
  name?: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

export interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
}

/** Addresses that all offer all of the ports. */
export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

/** By the address's key: whether it is ready there. */
type Offers = Map<string, boolean>;

const keyOfAddress = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ''}`;

/**
 * The same endpoints in their canonical form: as few subsets as there are sets of addresses with the same ports, each address once, and where it
 * is both it is not ready; all of it sorted (upstream `RepackSubsets`).
 */
export function repackedSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>();
  const ports = new Map<string, EndpointPort | undefined>();
  const offersByPort = new Map<string, Offers>();
  for (const subset of subsets) {
    // Addresses without ports stay.
    for (const port of subset.ports?.length ? subset.ports : [undefined]) {
      const key = port ? JSON.stringify([port.name ?? '', port.port, port.protocol, port.appProtocol]) : '';
      ports.set(key, port);
      let offers = offersByPort.get(key);
      if (!offers) offersByPort.set(key, (offers = new Map()));
      for (const address of subset.addresses ?? []) offer(offers, addresses, address, true);
      for (const address of subset.notReadyAddresses ?? []) offer(offers, addresses, address, false);
    }
  }
  const grouped = new Map<string, { offers: Offers; ports: EndpointPort[] }>();
  for (const [key, offers] of offersByPort) {
    const inOrder = [...offers].sort(([a], [b]) => compareAddresses(addresses.get(a), addresses.get(b)));
    const group = JSON.stringify(inOrder);
    let found = grouped.get(group);
    if (!found) grouped.set(group, (found = { offers: new Map(inOrder), ports: [] }));
    const port = ports.get(key);
    if (port) found.ports.push(port);
  }
  return subsetsInOrder([...grouped.values()].map((group) => packed(group.offers, group.ports, addresses)));
}

function offer(offers: Offers, addresses: Map<string, EndpointAddress>, address: EndpointAddress, isReady: boolean): void {
  const key = keyOfAddress(address);
  if (!addresses.has(key)) addresses.set(key, address);
  if (offers.get(key) !== false) offers.set(key, isReady);
}

function packed(offers: Offers, ports: EndpointPort[], addresses: ReadonlyMap<string, EndpointAddress>): EndpointSubset {
  const of = (isReady: boolean): EndpointAddress[] =>
    [...offers].filter(([, ready]) => ready === isReady).map(([key]) => addresses.get(key) as EndpointAddress);
  const [ready, notReady] = [of(true), of(false)];
  return {
    ...(ready.length > 0 ? { addresses: ready } : {}),
    ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
    ...(ports.length > 0 ? { ports: inSubsetOrder(ports) } : {}),
  };
}

/** By the text of the address, then by the uid of what it belongs to; what belongs to nothing comes last. */
function compareAddresses(a: EndpointAddress | undefined, b: EndpointAddress | undefined): number {
  if (!a || !b || a.ip !== b.ip) return (a?.ip ?? '') < (b?.ip ?? '') ? -1 : 1;
  if (!b.targetRef || !a.targetRef) return a.targetRef ? -1 : b.targetRef ? 1 : 0;
  return (a.targetRef.uid ?? '') < (b.targetRef.uid ?? '') ? -1 : 1;
}

/** Addresses that Endpoints hold at most. */
const capacity = 1_000;

export function isOverCapacity(subsets: readonly EndpointSubset[]): boolean {
  return count(subsets, 'addresses') + count(subsets, 'notReadyAddresses') > capacity;
}

function count(subsets: readonly EndpointSubset[], list: 'addresses' | 'notReadyAddresses'): number {
  return subsets.reduce((sum, subset) => sum + (subset[list]?.length ?? 0), 0);
}

/** The subsets with no more than a thousand addresses: each gives up its share of those that are not ready, and of the others only when those alone are too many. */
export function truncatedSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const ready = count(subsets, 'addresses');
  const truncatesReady = ready > capacity;
  const list = truncatesReady ? 'addresses' : 'notReadyAddresses';
  const total = truncatesReady ? ready : count(subsets, list);
  const max = truncatesReady ? capacity : capacity - ready;
  let left = max;
  return subsets.map((subset) => {
    const here = subset[list] ?? [];
    const kept = here.slice(0, Math.min(Math.ceil((here.length / total) * max), left));
    left -= kept.length;
    const { addresses, ports } = subset;
    const others = truncatesReady ? { ports } : { addresses, ports };
    return { ...others, ...(kept.length > 0 ? { [list]: kept } : {}) };
  });
}
