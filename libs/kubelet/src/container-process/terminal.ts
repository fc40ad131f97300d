/** What became of typed characters: shown to who types, and lines for the program. */
export interface Typed {
  echo: string;
  /** Lines that are ready for the program. */
  input: string;
  /** Ctrl-D at the beginning of a line: the input is over. */
  isEnd: boolean;
  /** Ctrl-C: the program is to stop. */
  isInterrupt: boolean;
}

/** Characters of a line that is not ended. */
const lineMax = 4_096;

/** The terminal that a program with a tty is behind: it shows what is typed and hands it on line by line. */
export class Terminal {
  private line = '';

  type(text: string): Typed {
    const typed: Typed = { echo: '', input: '', isEnd: false, isInterrupt: false };
    for (const character of text) {
      if (character === '\r' || character === '\n') {
        typed.echo += '\r\n';
        typed.input += `${this.line}\n`;
        this.line = '';
      } else if (character === '\x7f' || character === '\b') {
        if (this.line !== '') typed.echo += '\b \b';
        this.line = [...this.line].slice(0, -1).join('');
      } else if (character === '\x03') {
        typed.echo += '^C\r\n';
        typed.isInterrupt = true;
        this.line = '';
        return typed;
      } else if (character === '\x04') {
        if (this.line !== '') continue;
        typed.isEnd = true;
        return typed;
      } else if (character >= ' ' && this.line.length < lineMax) {
        this.line += character;
        typed.echo += character;
      }
    }
    return typed;
  }

  /** Output as a terminal has it: each line ends with a carriage return too. */
  static shown(text: string): string {
    return text.replace(/\r?\n/g, '\r\n');
  }
}
