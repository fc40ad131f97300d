/** Whether a text matches a pattern of the shell: `*`, `?`, `[a-z]`, `\` before what is meant as it is. Takes time by the product of the lengths. */
export function matcherOf(pattern: string): (text: string) => boolean {
  const parts: ((character: string) => boolean)[] = [];
  const stars = new Set<number>();
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] as string;
    const close = character === '[' ? pattern.indexOf(']', i + 2) : -1;
    if (character === '*') {
      stars.add(parts.length);
      continue;
    }
    if (character === '?') parts.push(() => true);
    else if (close > 0) {
      parts.push(classOf(pattern.slice(i + 1, close)));
      i = close;
    } else {
      const literal = character === '\\' && i + 1 < pattern.length ? (pattern[++i] as string) : character;
      parts.push((each) => each === literal);
    }
  }
  return (text) => {
    // Which parts may come next, after each character.
    let open = new Set([0]);
    for (const character of text) {
      const next = new Set<number>();
      for (const at of open) {
        if (stars.has(at)) next.add(at);
        if (parts[at]?.(character)) next.add(at + 1);
      }
      open = next;
      if (open.size === 0) return false;
    }
    return open.has(parts.length);
  };
}

function classOf(text: string): (character: string) => boolean {
  const isNegated = text.startsWith('!') || text.startsWith('^');
  const members = isNegated ? text.slice(1) : text;
  return (character) => {
    let found = false;
    for (let i = 0; i < members.length; i++) {
      if (members[i + 1] === '-' && i + 2 < members.length) {
        found ||= character >= (members[i] as string) && character <= (members[i + 2] as string);
        i += 2;
      } else found ||= members[i] === character;
    }
    return found !== isNegated;
  };
}
