/** Longest that a write may take, ms of real time: whoever waits is told then, and nothing is written later. */
const writeMsMax = 10_000;

interface Closing {
  once(event: 'close', listener: () => void): unknown;
}

/** How long somebody waits for an answer. */
export interface Patience {
  /** Aborted when the client has gone, and when its time has run out; the reason says which. */
  signal: AbortSignal;
  /** The request has been read: from now on its time counts. */
  begin(): void;
  /** The answer is there. */
  over(): void;
}

export function patienceOf(response: Closing, msMax = writeMsMax): Patience {
  const controller = new AbortController();
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    if (!isOver) timer ??= setTimeout(() => controller.abort(new Error(`not written within ${msMax / 1000} s`)), msMax);
  };
  const over = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  response.once('close', () => {
    if (!isOver) controller.abort(new Error('the client has gone'));
    over();
  });
  return { signal: controller.signal, begin, over };
}
