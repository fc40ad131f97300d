/** What is wrong with a text that is no address, as Go's `netip.ParseAddr` says it. */
export function addressProblem(text: string): string {
  const quoted = JSON.stringify(text);
  const [reason, at] = reasonOf(text);
  return `ParseAddr(${quoted}): ${reason}${at === undefined ? '' : ` (at ${JSON.stringify(at)})`}`;
}

function reasonOf(text: string): [string, string?] {
  for (const character of text) {
    if (character === '.') return ipv4Reason(text);
    if (character === ':') return ipv6Reason(text);
    if (character === '%') return ['missing IPv6 address'];
  }
  return ['unable to parse IP'];
}

function ipv4Reason(text: string): [string, string?] {
  let value = 0;
  let digits = 0;
  let fields = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (/\d/.test(character)) {
      if (digits === 1 && value === 0) return ['IPv4 field has octet with leading zero'];
      value = value * 10 + Number(character);
      digits += 1;
      if (value > 255) return ['IPv4 field has value >255'];
    } else if (character === '.') {
      if (index === 0 || index === text.length - 1 || text[index - 1] === '.')
        return ['IPv4 field must have at least one digit', text.slice(index)];
      if (fields === 3) return ['IPv4 address too long'];
      fields += 1;
      value = 0;
      digits = 0;
    } else return ['unexpected character', text.slice(index)];
  }
  return fields < 3 ? ['IPv4 address too short'] : ['unable to parse IP'];
}

function ipv6Reason(text: string): [string, string?] {
  const [address = '', zone] = text.split(/%(.*)/s);
  if (zone === '') return ['zone must be a non-empty string'];
  if (/^:[^:]/.test(address)) return ['each colon-separated field must have at least one digit', address];
  const groups = address.split(':');
  for (const [index, group] of groups.entries()) {
    const rest = groups.slice(index).join(':');
    if (group.includes('.')) return ipv4Reason(group);
    const bad = /[^0-9a-fA-F]/.exec(group);
    if (bad)
      return bad.index === 0
        ? ['each colon-separated field must have at least one digit', rest]
        : ['unexpected character, want colon', rest.slice(bad.index)];
    if (group.length > 4) return ['each group must have 4 or less digits', rest];
  }
  if ((address.match(/::/g) ?? []).length > 1) return ['multiple :: in address', address.slice(address.lastIndexOf('::') + 1)];
  if (groups.length > 8) return ['trailing garbage after address', groups.slice(8).join(':')];
  if (address.endsWith(':')) return ['colon must be followed by more characters', ':'];
  return groups.length < 8 ? ['address string too short'] : ['unable to parse IP'];
}

/** What is wrong with a text that is no range, as Go's `netip.ParsePrefix` says it. */
export function prefixProblem(text: string): string {
  const told = (reason: string): string => `netip.ParsePrefix(${JSON.stringify(text)}): ${reason}`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return told("no '/'");
  const address = text.slice(0, slash);
  if (address.includes('%')) return told('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^[0-9]+$/.test(bits) || /^0\d/.test(bits)) return told(`bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > (address.includes(':') ? 128 : 32)) return told('prefix length out of range');
  return told(addressProblem(address));
}
