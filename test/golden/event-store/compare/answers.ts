// Recorded answers against ours. What is let pass is written in golden/event-store/README.md; nothing else is.
import type { Difference } from '../../play-result';
import type { Message, RecordedStatus } from '../recording';
import type { Symbols } from './symbols';

/** Fields for clients before 20.6.1, and what later releases add beside a position: not compared. */
const LEFT_OUT = /_20_6_0$/;
const VALUE_LENGTH_MAX = 200;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
};

function compareValue(expected: unknown, actual: unknown, path: string, symbols: Symbols, found: Difference[]): void {
  if (typeof expected === 'string') {
    const problem = symbols.placeholder(expected, actual);
    if (problem === undefined) return;
    if (problem !== false) {
      found.push({ path, text: problem });
      return;
    }
  }
  if (typeof expected === 'object' && expected !== null && typeof actual === 'object' && actual !== null) {
    const ours = actual as Message;
    const theirs = expected as Message;
    for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      if (!LEFT_OUT.test(key)) compareValue(theirs[key], ours[key], `${path}.${key}`, symbols, found);
    }
    return;
  }
  if (expected !== actual) found.push({ path, text: `expected ${shown(expected)}, got ${shown(actual)}` });
}

/** What of our answer is compared with the recorded one. */
function comparable(expected: Message | undefined, actual: Message): Message {
  if (actual['caught_up']) return { caught_up: {} };
  if (!actual['checkpoint']) return actual;
  const { commit_position, prepare_position } = actual['checkpoint'] as Message;
  const recorded = expected?.['checkpoint'] as Message | undefined;
  // Where the node left the prepare position at 0, any is right.
  const prepare = recorded && recorded['prepare_position'] === undefined ? undefined : prepare_position;
  return { checkpoint: { commit_position, ...(prepare === undefined ? {} : { prepare_position: prepare }) } };
}

const METHODS_KEY = (method: Message): string => `${String(method['service_name'])}.${String(method['method_name'])}`;

/** The supported methods have no order. */
function sorted(message: Message): Message {
  const methods = message['methods'];
  if (!Array.isArray(methods)) return message;
  return { ...message, methods: [...(methods as Message[])].sort((a, b) => (METHODS_KEY(a) < METHODS_KEY(b) ? -1 : 1)) };
}

function isSystem(message: Message): boolean {
  if (message['checkpoint']) return true;
  const event = message['event'] as Message | undefined;
  const recorded = (event?.['link'] ?? event?.['event']) as { stream_identifier?: { stream_name?: unknown } } | undefined;
  return String(recorded?.stream_identifier?.stream_name ?? '').startsWith('$');
}

export function compareResponses(
  expected: readonly Message[],
  actual: readonly Message[],
  symbols: Symbols,
  tolerant: boolean,
): Difference[] {
  const found: Difference[] = [];
  const theirs = tolerant ? expected.filter((message) => !isSystem(message)) : expected;
  const ours = tolerant ? actual.filter((message) => !isSystem(message)) : actual;
  if (theirs.length !== ours.length) {
    const kinds = (messages: readonly Message[]): string => messages.map((message) => Object.keys(message).join('+')).join(' ');
    found.push({
      path: 'responses',
      text: `expected ${theirs.length} [${kinds(theirs).slice(0, 400)}], got ${ours.length} [${kinds(ours).slice(0, 400)}]`,
    });
  }
  for (const [i, message] of theirs.entries()) {
    const answer = ours[i];
    if (answer) compareValue(sorted(message), sorted(comparable(message, answer)), `responses[${i}]`, symbols, found);
  }
  return found;
}

export function compareStatus(expected: RecordedStatus, actual: RecordedStatus | undefined, symbols: Symbols): Difference[] {
  if (!actual) return [{ path: 'status', text: `expected ${expected.name}, but the call did not end` }];
  const found: Difference[] = [];
  if (expected.code !== actual.code) {
    return [
      { path: 'status', text: `expected ${expected.name} "${expected.details ?? ''}", got ${actual.name} "${actual.details ?? ''}"` },
    ];
  }
  if (expected.code !== 0) {
    compareValue(expected.details ?? '', actual.details ?? '', 'status.details', symbols, found);
    compareValue(expected.trailers ?? {}, actual.trailers ?? {}, 'status.trailers', symbols, found);
  }
  return found;
}
