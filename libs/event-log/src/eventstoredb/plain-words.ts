/** What stands before the cause in gRPC's message, and after it. */
const around = /^\d+ [A-Z_]+: (?:No connection established\. Last error: )?(?:Error: )?([^]*?)(?:\s*\.? Resolution note:[^]*)?$/;

/** What the client makes of an answer that it does not know. */
const unrecognized = /^Could not recognize /;

/** What a failure to connect means, for those that say something else, with what to do. */
const meanings: [RegExp, string][] = [
  [/^null\.?$/, 'nobody answers there'],
  [/wrong version number/, 'it does not speak TLS: add tls=false to its address'],
  [/^Failed to connect \(/, 'it ends every connection: a store with TLS does that when its address says tls=false'],
  [
    /unable to verify|self.signed|unable to get (?:local )?issuer/,
    'its certificate is signed by nobody that this machine trusts: name its CA with tlsCAFile=FILE in its address',
  ],
  [
    /^Failed to discover/,
    'none of its nodes says who leads: are their addresses right, and whether it is one with TLS (tls=false or not)?',
  ],
  [/^Name resolution failed for target (?:dns:)?(.*)/, 'there is no host of that name: $1'],
  [/^Unauthenticated|UNAUTHENTICATED/, 'the user or the password in its address is wrong'],
  [/^Access Denied/, 'it wants a user with the right to do that (esdb://USER:PASSWORD@HOST:PORT)'],
];

/** The client's message as people can use it. */
export function plainWords(message: string): string {
  const cause = (around.exec(message)?.[1]?.trim() || message).replace(unrecognized, '');
  for (const [pattern, meaning] of meanings) {
    const found = pattern.exec(cause);
    if (found) return meaning.replace('$1', found[1] ?? '');
  }
  return cause;
}
