import { InvalidArgument } from '../invalid-request';
import type { WireUuid } from './messages';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function hexOf(half: string | undefined): string {
  return BigInt.asUintN(64, BigInt(half ?? 0))
    .toString(16)
    .padStart(16, '0');
}

/** The canonical text of either form. @throws InvalidArgument */
export function uuidText(uuid: WireUuid | undefined, what: string): string {
  if (uuid?.structured) {
    const hex = hexOf(uuid.structured.most_significant_bits) + hexOf(uuid.structured.least_significant_bits);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
  const text = uuid?.string?.toLowerCase() ?? '';
  if (!UUID.test(text)) throw new InvalidArgument(`${what} ${JSON.stringify(text)} is not a UUID`);
  return text;
}

/** Ids that another program stored without being UUIDs have no structured form; they go out as text. */
export function wireUuid(text: string, structured: boolean): WireUuid {
  if (!structured || !UUID.test(text)) return { string: text };
  const hex = text.replaceAll('-', '');
  const half = (from: number): string => BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)).toString();
  return { structured: { most_significant_bits: half(0), least_significant_bits: half(16) } };
}
