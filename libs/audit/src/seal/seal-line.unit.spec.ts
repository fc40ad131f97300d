import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedBy, parsePublicKey, parseSeals, publicKeyText, sealLine } from './seal-line';

// The first key of RFC 8032, section 7.1.
const secret = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const key = createPrivateKey({ key: Buffer.from(`302e020100300506032b657004220420${secret}`, 'hex'), format: 'der', type: 'pkcs8' });
const seal = { cluster: 'local', events: 74, position: 19_200, root: 'KJGSBBBbaozP0WJQSvEwBQyNxDl3lLYr13cJ7CHTbfQ' };
const line = 'kubereel-seal/1 local 74 19200 KJGSBBBbaozP0WJQSvEwBQyNxDl3lLYr13cJ7CHTbfQ';

describe('a seal as a line', () => {
  it('is written and read, with and without a signature', () => {
    expect(sealLine(seal)).toBe(line);
    expect(parseSeals(`# kept on Monday\n\n${line}\r\n`)).toEqual([{ line: 3, seal }]);
    const signed = sealLine(seal, key);
    expect(signed).toMatch(/ ed25519:[\w-]{86}$/);
    const [read] = parseSeals(signed);
    expect(sealLine(read!.seal)).toBe(signed);
    expect(read!.seal).toMatchObject(seal);
  });

  it('is signed by one key, and any change of it shows', () => {
    const publicKey = createPublicKey(key);
    const signed = sealLine(seal, key);
    const read = (text: string) => parseSeals(text)[0]!.seal;
    expect(isSignedBy(read(signed), publicKey)).toBe(true);
    expect(isSignedBy(seal, publicKey)).toBe(false);
    for (const edited of [
      signed.replace(' 74 ', ' 75 '),
      signed.replace('local', 'other'),
      signed.replace('19200', '19201'),
      signed.replace(' KJ', ' JK'),
    ])
      expect(isSignedBy(read(edited), publicKey)).toBe(false);
  });

  it('has a public key that is written and read', () => {
    const text = publicKeyText(createPublicKey(key));
    expect(text).toBe(
      `ed25519:${Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex').toString('base64url')}`,
    );
    expect(isSignedBy(parseSeals(sealLine(seal, key))[0]!.seal, parsePublicKey(`${text}\n`)!)).toBe(true);
    for (const wrong of ['', 'ed25519:', text.slice(0, -1), `${text}x`, line]) expect(parsePublicKey(wrong)).toBeUndefined();
  });

  it.each([
    ['hello', 'it does not begin with kubereel-seal/1'],
    [line.replace('/1', '/2'), 'it is a seal of another version than kubereel-seal/1'],
    [line.replace(' 74 ', ' -1 '), 'after the name of the cluster come two numbers'],
    [line.replace(' 74 ', ' 0 '), 'after the name of the cluster come two numbers'],
    [line.replace('19200', '1e3'), 'after the name of the cluster come two numbers'],
    [line.slice(0, -1), 'its root is no SHA-256'],
    [`${line} rsa:x`, 'after the root comes nothing, or ed25519:'],
    [`${line} ed25519:${'x'.repeat(86)} more`, 'after the root comes nothing, or ed25519:'],
  ])('%s: is refused', (text, message) => {
    expect(() => parseSeals(`\n${text}`)).toThrow(
      expect.objectContaining({ line: 2, message: expect.stringContaining(message) as string }) as Error,
    );
  });

  it('that is wrong is not repeated: it may be a secret', () => {
    const error = (() => {
      try {
        return parseSeals('kubereel-seal/1 hunter2 hunter2 hunter2 hunter2');
      } catch (thrown) {
        return thrown as Error;
      }
    })() as Error;
    expect(error.message).not.toContain('hunter2');
  });
});
