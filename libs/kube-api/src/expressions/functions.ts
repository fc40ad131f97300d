import { kubernetesFunctions, parseRequestUri, valueOf, type FormatCheck } from '#libs/cel';
import { asPrefix, isDns1035Label, isDnsLabel, isDnsSubdomain, isLabelValue, isQualifiedName } from '../validation/formats';

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const dayTime = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/;

const isDate = (text: string): boolean => {
  try {
    valueOf(text, { type: 'string', format: 'date' });
    return true;
  } catch {
    return false;
  }
};
const isDateTime = (text: string): boolean => {
  const [date = '', time] = text.toLowerCase().split('t');
  const [, hours = '', minutes = '', seconds = ''] = (time === undefined ? null : dayTime.exec(time)) ?? [];
  return isDate(date) && hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
};

const told =
  (isGood: (text: string) => boolean, problem: string): FormatCheck =>
  (text) =>
    isGood(text) ? [] : [problem];

/** The formats that expressions can name (k8s.io/apiserver, `library/format.go`). */
const formats: Readonly<Record<string, FormatCheck>> = {
  dns1123Label: isDnsLabel,
  dns1123Subdomain: isDnsSubdomain,
  dns1035Label: isDns1035Label,
  qualifiedName: isQualifiedName,
  dns1123LabelPrefix: (text) => isDnsLabel(asPrefix(text)),
  dns1123SubdomainPrefix: (text) => isDnsSubdomain(asPrefix(text)),
  dns1035LabelPrefix: (text) => isDns1035Label(asPrefix(text)),
  labelValue: isLabelValue,
  uri: (text) => {
    const { problem } = parseRequestUri(text);
    return problem === undefined ? [] : [problem];
  },
  uuid: told((text) => uuid.test(text), 'does not match the UUID format'),
  byte: told((text) => base64.test(text), 'invalid base64'),
  date: told(isDate, 'invalid date'),
  datetime: told(isDateTime, 'invalid datetime'),
};

let made: ReturnType<typeof kubernetesFunctions> | undefined;

/** What every expression of the API may call. Made when first asked for: most processes never compile one. */
export function expressionFunctions(): ReturnType<typeof kubernetesFunctions> {
  return (made ??= kubernetesFunctions(formats));
}
