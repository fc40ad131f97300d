interface Client {
  readonly title: string;
  readonly family?: string;
  readonly command: string;
  readonly version: string;
  readonly needs: string;
  readonly onlyByName?: string;
  readonly checks: readonly string[];
}
export function clientParts(clients: readonly Client[]): Record<string, string>;
