/** JSON with the fields of each object in order: in which they are written means nothing. */
export function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Whether two texts say the same. */
export function isSameJson(a: string, b: string): boolean {
  return a === b || inOrder(JSON.parse(a)) === inOrder(JSON.parse(b));
}
