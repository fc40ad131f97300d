/** Characters of all warnings together that are sent whole; beyond it each is cut. */
const totalMax = 4096;
const eachMax = 256;

/** `Warning: 299 - "text"`, one a warning; equal ones once (upstream `warning.NewWarningHeader`). */
export function warningHeaders(warnings: readonly string[]): Record<string, string[]> {
  if (warnings.length === 0) return {};
  const texts = [...new Set(warnings)];
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const cut = total > totalMax ? texts.map((text) => text.slice(0, eachMax)).slice(0, totalMax / eachMax) : texts;
  return { Warning: cut.map((text) => `299 - "${headerText(text)}"`) };
}

/** Quoted, without control characters; UTF-8 bytes as Go writes them. */
function headerText(text: string): string {
  const quoted = text.replace(/[\\"]/g, '\\$&').replace(/[\x00-\x08\x0a-\x1f\x7f]/g, '');
  return Buffer.from(quoted, 'utf8').toString('latin1');
}
