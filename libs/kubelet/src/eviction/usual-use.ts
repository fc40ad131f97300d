/** What a container has in memory that nothing is said about, bytes. */
export const usualMemoryBytes = 1_048_576;
/** How many processes it has then. */
export const usualPids = 1;
