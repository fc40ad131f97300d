/**
 * Options of Node for the processes of `up --split`. A young generation of 2 MiB (16 by default) spares up to 40 MB a process, of
 * which there are seven, and costs no measurable time. The warning is about TLS server names that are IP addresses.
 */
export const appNodeOptions: readonly string[] = ['--max-semi-space-size=2', '--disable-warning=DEP0123'];
