const safeCharacters = 'bcdfghjklmnpqrstvwxz2456789';

/** A number's digits in characters that spell no words (upstream `SafeEncodeString`). */
export function safeText(number: number): string {
  return [...String(number)].map((digit) => safeCharacters[digit.charCodeAt(0) % safeCharacters.length]).join('');
}
