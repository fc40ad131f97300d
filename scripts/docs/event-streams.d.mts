export const ownStreams: Readonly<Record<string, string>>;
export const streamOfEvent: Readonly<Record<string, readonly [stream: string, writer: string]>>;
