/** One block of a PEM text (RFC 7468). */
export interface PemBlock {
  readonly label: string;
  readonly bytes: Buffer;
  /** Lines `Key: value` before the contents, as old encryption had them. */
  readonly hasHeaders: boolean;
}

const block = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----/g;

/** The blocks of a text, in order; what stands between them is passed over, as is a block that cannot be read. */
export function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(block)].flatMap(([, label = '', contents = '']) => {
    const lines = contents.split(/\r?\n/);
    const hasHeaders = lines.some((line) => line.includes(':'));
    const encoded = lines.filter((line) => !line.includes(':')).join('');
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded)) return [];
    return [{ label, bytes: Buffer.from(encoded, 'base64'), hasHeaders }];
  });
}
