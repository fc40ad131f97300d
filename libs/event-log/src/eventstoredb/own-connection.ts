/** The client's default, ms, and the least that it takes without a warning. */
const KEEP_ALIVE_MS = 10_000;
/** Numbers are used again after so many. */
const GENERATIONS = 1_000;

const keepAlive = /([?&])keepAliveInterval=(-?\d+)/i;

/**
 * An address whose client does not share its connection with those made before. gRPC keeps connections in one pool for the whole
 * process, found by address and settings, and one that failed is tried again ever more rarely, after ten minutes every two; a new client
 * got the old connection and its patience. A keep-alive interval that is some ms longer makes it another one.
 */
export function withOwnConnection(connectionString: string, generation: number): string {
  const given = keepAlive.exec(connectionString);
  const interval = given ? Number(given[2]) : KEEP_ALIVE_MS;
  if (generation === 0 || interval < KEEP_ALIVE_MS) return connectionString;
  const own = `keepAliveInterval=${interval + (generation % GENERATIONS)}`;
  if (given) return connectionString.replace(keepAlive, `$1${own}`);
  const address = connectionString.trim().replace(/\/+$/, '');
  return `${address}${address.includes('?') ? '&' : '?'}${own}`;
}
