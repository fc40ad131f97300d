/** A piece of a word. `isQuoted`: it is neither split nor matched against names of files. */
export type Piece =
  | { kind: 'text'; text: string; isQuoted: boolean }
  | { kind: 'variable'; name: string; operation?: string; word?: Word; isQuoted: boolean }
  | { kind: 'length'; name: string; isQuoted: boolean }
  | { kind: 'command'; script: List; isQuoted: boolean }
  | { kind: 'number'; expression: Word; isQuoted: boolean };

export type Word = readonly Piece[];

export interface Redirect {
  descriptor: number;
  operation: '>' | '>>' | '<' | '>&' | '<<' | '&>';
  target: Word;
}

interface Redirected {
  redirects: readonly Redirect[];
}

export type Command = Redirected &
  (
    | { kind: 'simple'; assignments: readonly { name: string; value: Word }[]; words: readonly Word[] }
    | { kind: 'if'; branches: readonly { condition: List; body: List }[]; otherwise: List | undefined }
    | { kind: 'loop'; isUntil: boolean; condition: List; body: List }
    | { kind: 'for'; name: string; words: readonly Word[] | undefined; body: List }
    | { kind: 'case'; word: Word; branches: readonly { patterns: readonly Word[]; body: List }[] }
    | { kind: 'group'; body: List; isSubshell: boolean }
    | { kind: 'function'; name: string; body: Command }
  );

export type Loop = Extract<Command, { kind: 'loop' }>;

export interface Pipeline {
  isNegated: boolean;
  commands: readonly Command[];
}

/** Pipelines, each with what has to have become of the one before: `;` anything, `&&` success, `||` failure. */
export type List = readonly { when: ';' | '&&' | '||'; pipeline: Pipeline }[];
