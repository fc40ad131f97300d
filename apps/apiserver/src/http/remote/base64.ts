/** The bytes of a base64 text; undefined for a text that is none. */
export function bytesOfBase64(text: string): Buffer | undefined {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}
