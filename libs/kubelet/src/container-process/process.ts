/** What a simulated program does at once: it writes, lets time pass, writes more, and ends. */
export type Deed = { out: string } | { err: string } | { waitMs: number };

/** A program that needs nothing from outside: what it does, and the code it ends with. */
export interface Finished {
  deeds: Deed[];
  exitCode: number;
}

/** A program that goes on until its input ends, if it ever does. */
export interface Reading {
  deeds: Deed[];
  /** What the bytes of its input make it do; with an exit code it ends there. */
  input(bytes: Buffer): Turn;
  /** Ctrl-C, where it does not end the program. */
  interrupt?(): Turn;
  /** Its input is over. */
  endOfInput(): Finished;
}

export interface Turn {
  deeds: (Deed | { bytes: Buffer })[];
  exitCode?: number;
}

/** A program that cannot be started, in the container runtime's words. */
export interface NotStarted {
  error: string;
}

export type Program = Finished | Reading | NotStarted;

/** What a program can see of the container it runs in. */
export interface Surroundings {
  hostname: string;
  env: ReadonlyMap<string, string>;
  /** Contents of the files there are, by path. */
  files: ReadonlyMap<string, string>;
  /** A terminal is at its input: shells prompt there. */
  isTerminal: boolean;
}

export function isFinished(program: Program): program is Finished {
  return 'exitCode' in program;
}

export function isReading(program: Program): program is Reading {
  return 'input' in program;
}
