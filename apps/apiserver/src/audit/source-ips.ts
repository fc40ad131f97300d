import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

/** Where a request comes from, by its own word and then by its connection (upstream `SourceIPs`): all but the last may be made up. */
export function sourceIps(headers: IncomingHttpHeaders, remote: string | undefined): string[] {
  const forwarded = textOf(headers['x-forwarded-for']).split(',');
  const ips = forwarded.map((part) => part.trim()).filter((part) => isIP(part) > 0);
  const real = textOf(headers['x-real-ip']).trim();
  if (isIP(real) > 0 && !ips.includes(real)) ips.push(real);
  // Addresses of IPv4 as a socket of IPv6 has them.
  const last = remote?.replace(/^::ffff:(?=\d+\.)/, '');
  if (last !== undefined && last !== ips.at(-1)) ips.push(last);
  return ips;
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(',') : (header ?? '');
}
