/** Characters of all warnings together that are sent whole; beyond it each is cut. */
const totalMax = 4096;
const eachMax = 256;

/** `Warning: 299 - "text"`, one a warning; equal ones once, none that is empty or has control characters (upstream `warning.NewWarningHeader`). */
export function warningHeaders(warnings: readonly string[]): Record<string, string[]> {
  const texts = [...new Set(warnings)].filter((text) => text !== '' && !/\p{Cc}/u.test(text));
  if (texts.length === 0) return {};
  const total = texts.reduce((sum, text) => sum + [...text].length, 0);
  const cut = total > totalMax ? texts.map((text) => [...text].slice(0, eachMax).join('')).slice(0, totalMax / eachMax) : texts;
  return { Warning: cut.map((text) => `299 - "${headerText(text)}"`) };
}

/** Quoted; UTF-8 bytes as Go writes them. */
function headerText(text: string): string {
  return Buffer.from(text.replace(/[\\"]/g, '\\$&'), 'utf8').toString('latin1');
}
