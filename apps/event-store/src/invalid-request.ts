/** The request contradicts the protocol. */
export class InvalidArgument extends Error {}

/** An event without its type or content type. */
export class MissingMetadata extends Error {
  constructor() {
    super('required metadata is missing: type, content-type');
  }
}

/** The writer's deadline had passed before its append was complete. */
export class DeadlinePassed extends Error {
  constructor() {
    super('the deadline has passed');
  }
}
