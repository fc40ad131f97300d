import { Document, isScalar, Scalar, visit, type Pair, type Tags } from 'yaml';
import { byGoOrder } from './yaml-order';

/** What Go's library reads as a number with a point or an exponent: not a lone point, nor `e5`. */
const goFloat = /^[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9_]+)?$/;
const floatTag = 'tag:yaml.org,2002:float';

const customTags = (tags: Tags): Tags =>
  tags
    .map((tag) => (typeof tag === 'object' && tag.tag === floatTag && tag.test?.test('1e5') ? { ...tag, test: goFloat } : tag))
    .filter((tag) => typeof tag !== 'object' || tag.tag !== floatTag || !tag.test?.test('.'));

/**
 * JSON text as YAML in the manner of upstream's library: keys in its order, lists not indented, double quotes around what would be read as
 * something else than a text, single ones around what could not be read.
 */
export function yamlOf(json: string): string {
  const document = new Document(JSON.parse(json), { version: '1.1', customTags, aliasDuplicateObjects: false, sortMapEntries: byKey });
  const { tags } = document.schema;
  const isOther = (text: string): boolean => tags.some((tag) => 'test' in tag && tag.default === true && tag.test?.test(text));
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string') return;
      if (isOther(node.value) || octal.test(node.value) || needsEscapes.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      else if (node.value.includes("'") && notPlain.test(node.value)) node.type = Scalar.QUOTE_SINGLE;
    },
  });
  const text = document.toString({ indentSeq: false, lineWidth: 0, singleQuote: true });
  return text.replace(
    /[\u{10000}-\u{10ffff}]/gu,
    (rune) => `\\U${(rune.codePointAt(0) as number).toString(16).toUpperCase().padStart(8, '0')}`,
  );
}

/** Go 1.13 and later read it as a number. */
const octal = /^[-+]?0o[0-7_]+$/;
/** Tabs, and what takes more than two bytes of UTF-16. */
const needsEscapes = /[\t\u{10000}-\u{10ffff}]/u;
/** In one line, and not to be written without quotes. */
const notPlain = /^(?:[ ,[\]{}#&*!|>'"%@`]|[?-](?: |$)).*$|^.*(?:: | #).*$|^.*[: ]$/;

const byKey = (a: Pair, b: Pair): number => byGoOrder(textOf(a.key), textOf(b.key));

const textOf = (key: unknown): string => String(isScalar(key) ? key.value : key);
