import { InvalidArgument } from '../invalid-request';
import type { WireUuid } from './messages';

const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** With dashes or without, in braces or brackets. */
const FORMS = [/^([0-9a-f]{32})$/, /^([-0-9a-f]{36})$/, /^\{([-0-9a-f]{36})\}$/, /^\(([-0-9a-f]{36})\)$/];
/** .NET's hexadecimal form, without the spaces that may stand in it. */
const STRUCT = /^\{0x([0-9a-f]{1,8}),0x([0-9a-f]{1,4}),0x([0-9a-f]{1,4}),\{((?:0x[0-9a-f]{1,2},){7}0x[0-9a-f]{1,2})\}\}$/;
export const ZERO_UUID = '00000000-0000-0000-0000-000000000000';

function hexOf(half: string | undefined): string {
  return BigInt.asUintN(64, BigInt(half ?? 0))
    .toString(16)
    .padStart(16, '0');
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The canonical text of either form. @throws InvalidArgument in the words of a real server, which batch appends are answered with */
export function uuidText(uuid: WireUuid | undefined): string {
  if (uuid?.structured) return dashed(hexOf(uuid.structured.most_significant_bits) + hexOf(uuid.structured.least_significant_bits));
  if (!uuid) throw new InvalidArgument("Value cannot be null. (Parameter 'dto')");
  if (uuid.string === undefined) throw new InvalidArgument("Invalid argument: None (Parameter 'dto')");
  if (DASHED.test(uuid.string)) return uuid.string;
  const text = uuid.string.trim().toLowerCase();
  for (const form of FORMS) {
    const inner = form.exec(text)?.[1];
    if (inner === undefined) continue;
    const found = inner.length === 32 ? dashed(inner) : inner;
    if (DASHED.test(found)) return found;
  }
  const [, first, second, third, bytes] = STRUCT.exec(text.replace(/\s/g, '')) ?? [];
  if (first !== undefined && second !== undefined && third !== undefined && bytes !== undefined) {
    const rest = bytes.split(',').map((byte) => byte.slice(2).padStart(2, '0'));
    return dashed([first.padStart(8, '0'), second.padStart(4, '0'), third.padStart(4, '0'), ...rest].join(''));
  }
  throw new InvalidArgument('Unrecognized Guid format.');
}

/** Ids that another program stored without being UUIDs have no structured form; they go out as text. */
export function wireUuid(text: string, structured: boolean): WireUuid {
  if (!structured || !DASHED.test(text)) return { string: text };
  const hex = text.replaceAll('-', '');
  const half = (from: number): string => BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)).toString();
  return { structured: { most_significant_bits: half(0), least_significant_bits: half(16) } };
}
