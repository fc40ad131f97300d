let outlives = false;

/** For commands that serve: they go on when nobody reads what they say any more. */
export function outliveReader(): void {
  outlives = true;
}

/**
 * `kubereel log | head`: a reader that has enough closes the pipe. That is no failure, so the command ends quietly, with the exit
 * status it has come to; what serves goes on.
 */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (outlives) return;
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') process.exit(process.exitCode ?? 0);
      process.exit(1);
    });
  }
}
