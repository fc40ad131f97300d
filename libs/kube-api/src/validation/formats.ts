/**
 * Formats of names and values, each answering with the texts of what is wrong (none: valid). Texts and limits are those of
 * apimachinery's `util/validation`.
 */

const labelExpression = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainExpression = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const label1035Expression = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedExpression = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValueExpression = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';

const dnsLabel = new RegExp(`^${labelExpression}$`);
const dnsSubdomain = new RegExp(`^${subdomainExpression}$`);
const dns1035Label = new RegExp(`^${label1035Expression}$`);
const qualified = new RegExp(`^${qualifiedExpression}$`);
const labelValue = new RegExp(`^${labelValueExpression}$`);

/** "must be no more than N characters", the count being bytes. */
export function maxLength(count: number): string {
  return `must be no more than ${count} characters`;
}

/** The text of a failed pattern, with examples, as upstream composes it. */
export function patternText(message: string, expression: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${expression}')`;
  const shown = examples.map((example, index) => `${index > 0 ? ' or ' : ''}'${example}', `).join('');
  return `${message} (e.g. ${shown}regex used for validation is '${expression}')`;
}

/** Length in bytes of UTF-8, which is what upstream counts. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff ? (code >= 0xd800 && code <= 0xdfff ? 1 : 2) : 1;
  }
  return bytes;
}

const dnsLabelText = patternText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  labelExpression,
  'my-name',
  '123-abc',
);
const dnsSubdomainText = patternText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainExpression,
  'example.com',
);
const dns1035Text = patternText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035Expression,
  'my-name',
  'abc-123',
);
const qualifiedText = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`;
const labelValueText = patternText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValueExpression,
  'MyValue',
  'my_value',
  '12345',
);

function checked(text: string, bytesMax: number, pattern: RegExp, patternMessage: string): string[] {
  const found: string[] = [];
  if (byteLength(text) > bytesMax) found.push(maxLength(bytesMax));
  if (!pattern.test(text)) found.push(patternMessage);
  return found;
}

/** RFC 1123 label: names of containers, volumes, namespaces. */
export function isDnsLabel(text: string): string[] {
  const found: string[] = [];
  if (byteLength(text) > 63) found.push(maxLength(63));
  if (!dnsLabel.test(text)) found.push(dnsSubdomain.test(text) ? 'must not contain dots' : dnsLabelText);
  return found;
}

/** RFC 1123 subdomain: most object names. */
export function isDnsSubdomain(text: string): string[] {
  return checked(text, 253, dnsSubdomain, dnsSubdomainText);
}

/** RFC 1035 label: service names. */
export function isDns1035Label(text: string): string[] {
  return checked(text, 63, dns1035Label, dns1035Text);
}

/** Label keys and their like: an optional DNS prefix, a slash, a name of at most 63 characters. */
export function isQualifiedName(text: string): string[] {
  const found: string[] = [];
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${patternText(qualifiedText, qualifiedExpression, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts[parts.length - 1] as string;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === '') found.push('prefix part must be non-empty');
    else for (const text of isDnsSubdomain(prefix)) found.push(`prefix part ${text}`);
  }
  if (name === '') found.push('name part must be non-empty');
  else if (byteLength(name) > 63) found.push(`name part ${maxLength(63)}`);
  if (!qualified.test(name)) {
    found.push(`name part ${patternText(qualifiedText, qualifiedExpression, 'MyName', 'my.name', '123-abc')}`);
  }
  return found;
}

export function isLabelValue(text: string): string[] {
  return checked(text, 63, labelValue, labelValueText);
}

const configKey = /^[-._a-zA-Z0-9]+$/;
const configKeyText = patternText(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  'key.name',
  'KEY_NAME',
  'key-name',
);

/** Keys of ConfigMaps and Secrets, which become file names. */
export function isConfigMapKey(text: string): string[] {
  const found: string[] = [];
  if (byteLength(text) > 253) found.push(maxLength(253));
  if (!configKey.test(text)) found.push(configKeyText);
  if (text === '.') found.push(`must not be '.'`);
  else if (text === '..') found.push(`must not be '..'`);
  else if (text.startsWith('..')) found.push(`must not start with '..'`);
  return found;
}

/** Names that become a part of a path: of URLs, and of upstream's keys in etcd. */
export function isPathSegmentName(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  const found: string[] = [];
  for (const illegal of ['/', '%']) if (text.includes(illegal)) found.push(`may not contain '${illegal}'`);
  return found;
}

/** `min ≤ value ≤ max`, with the text that names both ends. */
export function inRange(value: number, min: number, max: number): string[] {
  return value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`];
}

export function isPortNumber(value: number): string[] {
  return inRange(value, 1, 65535);
}

/** IANA service name: names of ports. */
export function isPortName(text: string): string[] {
  const found: string[] = [];
  if (byteLength(text) > 15) found.push(maxLength(15));
  if (!/^[-a-z0-9]+$/.test(text)) found.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(text)) found.push('must contain at least one letter (a-z)');
  if (text.includes('--')) found.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) found.push('must not begin or end with a hyphen');
  return found;
}

const envVarText = "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** Names of environment variables: any printable ASCII but `=` (relaxed since v1.32). */
export function isEnvVarName(text: string): string[] {
  return text === '' || !/^[ -<>-~]+$/.test(text) ? [envVarText] : [];
}

/** RFC 1123 subdomain in whose labels underscores are allowed too: DNS search paths. */
export function isDnsSubdomainWithUnderscore(text: string): string[] {
  const expression = '[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?(\\.[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?)*';
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return checked(text, 253, new RegExp(`^${expression}$`), patternText(message, expression, 'example.com'));
}

export function isPercent(text: string): string[] {
  if (/^[0-9]+%$/.test(text)) return [];
  return [patternText("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%')];
}

export function isHttpHeaderName(text: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(text)) return [];
  return [patternText("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name')];
}

/** What a name looks like that others are generated from: a dash at its end is allowed. */
export function asPrefix(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text;
}
