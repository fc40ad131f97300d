/** Where the API server of this process listens, once it does. */
export class ServerAddress {
  port: number | undefined;
}
