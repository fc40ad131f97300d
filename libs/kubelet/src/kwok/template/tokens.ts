/** A piece of a template: text as it is, or what stands between `{{` and `}}`. */
export type Piece = { text: string } | { action: string };

const trimmed = /^-\s/;

/** Cuts a template into its pieces; `{{-` and `-}}` take the white space beside them along. @throws TemplateError */
export function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let place = 0;
  let trimsNext = false;
  while (place < template.length) {
    const open = template.indexOf('{{', place);
    let text = template.slice(place, open < 0 ? undefined : open);
    if (trimsNext) text = text.trimStart();
    if (open < 0) {
      pieces.push({ text });
      break;
    }
    const close = endOf(template, open + 2);
    let action = template.slice(open + 2, close);
    if (trimmed.test(action)) {
      text = text.trimEnd();
      action = action.slice(2);
    }
    trimsNext = /\s-$/.test(action);
    if (trimsNext) action = action.slice(0, -2);
    pieces.push({ text }, { action: action.trim() });
    place = close + 2;
  }
  return pieces.filter((piece) => !('text' in piece) || piece.text !== '');
}

/** Where the action ends: `}}` in a text in quotes is none. */
function endOf(template: string, from: number): number {
  let quote = '';
  for (let at = from; at < template.length; at++) {
    const char = template[at] as string;
    if (quote !== '') {
      if (char === '\\' && quote === '"') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === '`') quote = char;
    else if (char === '}' && template[at + 1] === '}') return at;
  }
  throw new TemplateError('an action has no end');
}

/** A template cannot be read, or not be filled in. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** `isClose`: no white space stands before it. */
export type Token = { kind: 'field' | 'variable' | 'name' | 'sign'; text: string; isClose: boolean } | { kind: 'value'; value: unknown };

const tokenGrammar = /\s+|"(?:[^"\\]|\\.)*"|`[^`]*`|-?\d+(?:\.\d+)?|\$\w*|\.[A-Za-z_]\w*|\.|[A-Za-z_]\w*|:=|[()|,=]/y;

/** The tokens of an action. @throws TemplateError */
export function tokensOf(action: string): Token[] {
  const tokens: Token[] = [];
  let isClose = false;
  tokenGrammar.lastIndex = 0;
  while (tokenGrammar.lastIndex < action.length) {
    const text = tokenGrammar.exec(action)?.[0];
    if (text === undefined) throw new TemplateError(`cannot be read: ${action}`);
    const isBlank = text.trim() === '';
    if (!isBlank) tokens.push(tokenOf(text, isClose));
    isClose = !isBlank;
  }
  return tokens;
}

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, nil: null };

function tokenOf(text: string, isClose: boolean): Token {
  const first = text[0] as string;
  if (first === '"') return { kind: 'value', value: unquoted(text) };
  if (first === '`') return { kind: 'value', value: text.slice(1, -1) };
  if (/^-?\d/.test(text)) return { kind: 'value', value: Number(text) };
  if (first === '$') return { kind: 'variable', text, isClose };
  if (first === '.') return { kind: 'field', text: text.slice(1), isClose };
  if (/^[A-Za-z_]/.test(text))
    return Object.hasOwn(constants, text) ? { kind: 'value', value: constants[text] } : { kind: 'name', text, isClose };
  return { kind: 'sign', text, isClose };
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new TemplateError(`is no text: ${text}`);
  }
}
