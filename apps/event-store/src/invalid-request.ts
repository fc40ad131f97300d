/** The request contradicts the protocol. */
export class InvalidArgument extends Error {}

/** A case of a `oneof` that must be given and is not; in the words of a real server, which clients know. */
export class MissingCase extends InvalidArgument {
  /** @param oneof as a real server names it, below `EventStore.Client.Streams.` */
  constructor(oneof: string) {
    super(`'None' is not a valid EventStore.Client.Streams.${oneof}`);
  }
}

/** A read that a real server gives up without a reason; with its code and words, as clients go by them. */
export class UnexpectedResult extends Error {}

/** An event without its type or content type. */
export class MissingMetadata extends Error {
  constructor(readonly property: 'type' | 'content-type') {
    super(`Required Metadata Property '${property}' is missing`);
  }
}

/** More than the server keeps of one append until it is complete. */
export class TooMuch extends Error {}

/** The writer's deadline had passed before its append was complete. */
export class DeadlinePassed extends Error {
  constructor() {
    super('the deadline has passed');
  }
}
