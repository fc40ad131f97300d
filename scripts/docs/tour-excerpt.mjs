/** The tour's first three chapters as a code block: what README shows of it. @param lines all that `kubereel tour` prints */
export function tourExcerpt(lines) {
  const from = lines.findIndex((line) => line.startsWith('1. '));
  const to = lines.findIndex((line) => line.startsWith('4. '));
  if (from < 0 || to < from) throw new Error('the tour has no chapters 1 to 4');
  return ['```', ...lines.slice(from, to), '```'].join('\n').replace(/\n\n```$/, '\n```');
}
