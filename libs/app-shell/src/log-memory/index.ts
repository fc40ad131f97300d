/** What a folder remembers of its log. A door of its own: who only reads a log loads no app. */
export * from './log-identity';
export * from './log-memory';
