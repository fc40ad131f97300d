/** Whatever moves the cursor, hides text or turns its direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text from a log as one line that a terminal only shows: an edited log may say anything, also to the terminal. */
export function printable(text: string, lengthMax = Infinity): string {
  const shown = text.replace(unprintable, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
  return shown.length > lengthMax ? `${shown.slice(0, lengthMax)}…` : shown;
}
