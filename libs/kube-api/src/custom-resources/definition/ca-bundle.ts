import { pemBlocks } from '../../kinds/certificates/pem';

/** Why a bundle of certificates (base64 of a PEM text) cannot be used, in Go's words; undefined: it can, or is empty. */
export function bundleProblem(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1');
  if (text === '') return undefined;
  const blocks = pemBlocks(text);
  if (blocks.some(({ label, hasHeaders, bytes }) => label === 'CERTIFICATE' && !hasHeaders && bytes[0] === sequenceTag)) return undefined;
  return 'unable to load root certificates: unable to parse bytes as PEM block';
}

/** Every certificate begins so. */
const sequenceTag = 0x30;
