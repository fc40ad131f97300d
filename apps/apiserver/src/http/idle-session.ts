import type { Http2Session } from 'node:http2';

/** Time that a session gets to say good-bye, ms. */
const goodbyeMs = 1_000;

/** Closes an HTTP/2 session that has had no open stream for a while. Pings keep nobody here, as with Go's server. */
export function closeWhenIdle(session: Http2Session, idleMs: number): void {
  let open = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => {
      session.close();
      timer = setTimeout(() => session.destroy(), goodbyeMs);
    }, idleMs);
  };
  session.on('stream', (stream) => {
    open++;
    clearTimeout(timer);
    stream.once('close', () => {
      if (--open === 0 && !session.destroyed) wait();
    });
  });
  session.once('close', () => clearTimeout(timer));
  wait();
}
