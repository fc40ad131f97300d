const surrogate = /[\ud800-\udfff]/;

/** The code points of a text. Nearly all texts have one in each unit. */
export function codePointsOf(text: string): ArrayLike<string> {
  return surrogate.test(text) ? Array.from(text) : text;
}

/** Part of a text, counted in code points. */
export function sliceOf(text: string, from: number, to?: number): string {
  const points = codePointsOf(text);
  return typeof points === 'string' ? points.slice(from, to) : (points as string[]).slice(from, to).join('');
}
