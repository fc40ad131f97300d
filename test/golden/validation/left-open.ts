// What the comparison of recorded validation lets pass, beside what that of the API sessions does. Source: "Comparing" in the README of the
// recordings: values inside messages that are Go renderings are worth matching only up to that text.

/** What begins such a rendering. */
const rendering =
  /json: cannot unmarshal |\b[a-z]\w*\.[A-Z]\w*\{|\[\]string\{|\n@@ |\n[-+ ]{2}|Compilation failed|unable to parse requirement|parsing time |ParseAddr\(|regex used for validation is /;

/** The text as far as it has to agree. @param recorded the recorded one, when this is ours: it says whether, and where, to end */
export function comparableText(text: string, recorded: string = text): string {
  const end = rendering.exec(recorded)?.index;
  return end === undefined ? text : text.slice(0, rendering.exec(text)?.index ?? end);
}

/** The parts of `X "n" is invalid: [a, b]`. */
export function partsOf(message: string): string[] {
  return message
    .replace(/^.*? is invalid: \[?/s, '')
    .replace(/\]$/, '')
    .split(/, (?=[a-z<[])/);
}

/** The recorded server gave Services addresses of 10.96.0.0/16, ours those of 10.0.0.0/24: what asks for one of theirs asks for one of ours. */
export function inOurRange(text: string): string {
  return text.replaceAll('10.96.0.0/16', '10.0.0.0/24').replaceAll('10.96.77.', '10.0.0.').replaceAll('10.96.99.', '10.0.0.');
}

/** The recorded server had filled the status of a FlowSchema by itself when it was read, which ours does not: there the player writes it. */
export function statusOfServer({ kind, status, stored }: { kind: string; status?: unknown; stored: { status?: unknown } }): unknown {
  return kind.endsWith(' FlowSchema') ? stored.status : status;
}

/** A moment that neither the recording nor the object tells may be any. */
export const withAnyMoments = (text: string): string => text.replaceAll('<time>', '2026-01-01T00:00:00Z');

/** Where the store keeps its objects is a flag of the recorded server. */
export const withoutPrefix = (text: string): string => text.replace('Key: /registry/', 'Key: /');
