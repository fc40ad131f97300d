/** How often it is looked whether the parent is still there, ms. */
const lookMs = 500;

/** Whoever started the process may be killed without a word: then nobody is there to stop it. */
export function endWithParent(end: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, lookMs);
  timer.unref();
}
