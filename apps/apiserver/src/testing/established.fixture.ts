/** The status of a definition as the controllers of custom kinds leave it: for a server beside which none of them runs. */
export function established(acceptedNames: object): object {
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({
    type,
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  return { acceptedNames, conditions };
}
