import { parseRequestUri, valueOf } from '#libs/cel';
import { parseAddress } from '../../validation/addresses';
import { isDnsLabel, isDnsSubdomain } from '../../validation/formats';
import { parseLegacyAddress, parseLegacyCidr } from '../../validation/legacy-addresses';

/*
 * Formats of texts as upstream's registry reads them (kube-openapi, `strfmt`). A name is the same with and without its dashes.
 */

type Check = (text: string) => boolean;

const matching =
  (expression: RegExp): Check =>
  (text) =>
    expression.test(text);

const withoutDashes = (text: string): string => text.replaceAll(/[\s-]+/g, '');

function isDate(text: string): boolean {
  try {
    valueOf(text, { type: 'string', format: 'date' });
    return true;
  } catch {
    return false;
  }
}

const dayTime = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  const [, hours = '', minutes = '', seconds = ''] = (time === undefined ? null : dayTime.exec(time)) ?? [];
  return isDate(date) && hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

const goDuration = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const longUnits = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];
const shortUnits = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk']);

/** As Go reads one, or a number with a unit in words anywhere in the text. */
function isDuration(text: string): boolean {
  if (goDuration.test(text)) return true;
  return [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)].some(([, unit = '']) => {
    const lower = unit.toLowerCase();
    return shortUnits.has(lower) || longUnits.some((long) => lower.startsWith(long));
  });
}

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  const bytes = (part: string): number => new TextEncoder().encode(part).length;
  return bytes(text) <= 255 && text.split('.').every((part) => bytes(part) <= 63) && hostname.test(text);
}

/** A name before an address in angle brackets, or the address alone. */
function isEmail(text: string): boolean {
  const bracketed = /^(?:"(?:[^"\\]|\\.)*"|[^<>@"]*)\s*<([^<>]+)>\s*$/.exec(text.trim());
  const address = bracketed ? (bracketed[1] as string) : text.trim();
  const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
  return new RegExp(`^(?:${atom}(?:\\.${atom})*|"(?:[^"\\\\\\r\\n]|\\\\.)+")@(?:${atom}(?:\\.${atom})*|\\[[^\\[\\]\\\\]*\\])$`).test(
    address,
  );
}

/** 6, 8 or 20 bytes: in pairs with colons or dashes, or in fours with dots. */
function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*)$/i.test(text) ? (text.length + 1) / 3 : 0;
  const fours = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i.test(text) ? ((text.length + 1) / 5) * 2 : 0;
  return [6, 8, 20].includes(pairs) || [6, 8, 20].includes(fours);
}

function isIsbn10(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, index) => total + Math.min(index + 1, 10) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = Array.from(digits.slice(0, 12)).reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const card =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/;

function isCreditCard(text: string): boolean {
  const digits = withoutDashes(text);
  if (!card.test(digits)) return false;
  const doubled = (digit: number): number => (digit > 4 ? 2 * digit - 9 : 2 * digit);
  const sum = [...digits].reverse().reduce((total, digit, index) => total + (index % 2 === 1 ? doubled(Number(digit)) : Number(digit)), 0);
  return sum % 10 === 0;
}

const uuid = (version: string, variant = '[0-9a-f]'): Check =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));

/** `(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])`, as upstream's expression has it. */
const colour = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';

const checks: Readonly<Record<string, Check>> = {
  bsonobjectid: matching(/^[0-9a-f]{24}$/i),
  uri: (text) => parseRequestUri(text).problem === undefined,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && parseLegacyAddress(text) !== undefined,
  ipv6: (text) => text.includes(':') && parseAddress(text) !== undefined,
  cidr: (text) => parseLegacyCidr(text) !== undefined,
  mac: isMac,
  uuid: uuid('[0-9a-f]'),
  uuid3: uuid('3'),
  uuid4: uuid('4', '[89ab]'),
  uuid5: uuid('5', '[89ab]'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matching(new RegExp(`^rgb\\(\\s*${colour}\\s*,\\s*${colour}\\s*,\\s*${colour}\\s*\\)$`)),
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
};

/** Since 1.34, and definitions are read by the rules of the release before: only defaults are held to these. */
const newerChecks: Readonly<Record<string, Check>> = {
  k8sshortname: (text) => isDnsLabel(text).length === 0,
  k8slongname: (text) => isDnsSubdomain(text).length === 0,
};

const plainName = (format: string): string => format.replaceAll('-', '');

/** Formats that objects are held to; all others say nothing about them. */
export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(checks, plainName(format));
}

/** Of formats that nobody knows every text is. */
export function isOfFormat(format: string, text: string): boolean {
  const name = plainName(format);
  const check = Object.hasOwn(checks, name) ? checks[name] : Object.hasOwn(newerChecks, name) ? newerChecks[name] : undefined;
  return check?.(text) ?? true;
}
