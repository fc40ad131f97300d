/** Bounds of the HTTP server. Where kube-apiserver has one (`SecureServingInfo.Serve`, its time-out filter), it is that one. */
export interface HttpLimits {
  /** From a connection to the end of its TLS handshake, ms. */
  handshakeMs: number;
  /** From the first byte that may belong to a request to the end of its headers, ms; also for a connection that sends nothing. */
  headersMs: number;
  /** From the headers to the end of the body, ms. */
  bodyMs: number;
  /** For a client to take an answer that is no stream, ms. */
  answerMs: number;
  /** Without an open request, over either version of HTTP, ms. Watches are open requests. */
  idleMs: number;
  /** From the last that the server has to say to the end of a connection that its client does not close, ms. */
  lingerMs: number;
  /** How often HTTP/1.1 connections are looked at for the bounds above, ms. */
  checkMs: number;
  /** All headers of one request, bytes. */
  headerBytesMax: number;
  /** Headers of one request. */
  headersMax: number;
  connectionsMax: number;
  /** Watches and other streams of all connections. */
  streamsMax: number;
  /** Requests sent on an HTTP/1.1 connection before the answer to the first. */
  pipelinedMax: number;
}

export const defaultHttpLimits: HttpLimits = {
  handshakeMs: 10_000,
  headersMs: 32_000,
  bodyMs: 60_000,
  answerMs: 60_000,
  idleMs: 90_000,
  lingerMs: 30_000,
  checkMs: 5_000,
  headerBytesMax: 64 * 1024,
  headersMax: 128,
  connectionsMax: 8_192,
  streamsMax: 20_000,
  pipelinedMax: 64,
};
