import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { Patience } from './write-patience';

function patient(): { patience: Patience; response: EventEmitter; heard: string[] } {
  const response = new EventEmitter();
  const patience = new Patience(response, 20);
  const heard: string[] = [];
  patience.addEventListener('abort', () => heard.push(patience.reason?.message ?? ''));
  return { patience, response, heard };
}

it('ends when the client goes before the answer is there, and tells it once', () => {
  const { patience, response, heard } = patient();
  patience.begin();
  response.emit('close');
  response.emit('close');
  expect([patience.aborted, heard]).toEqual([true, ['the client has gone']]);
});

it('ends when the time is over that began with the body', async () => {
  const { patience, heard } = patient();
  patience.begin();
  await vi.waitFor(() => expect(heard).toEqual(['not written within 0.02 s']));
});

it('lasts where the answer came first, and for whoever listens no more', () => {
  const { patience, response, heard } = patient();
  patience.over();
  response.emit('close');
  expect([patience.aborted, heard]).toEqual([false, []]);
  const other = patient();
  const listener = vi.fn();
  other.patience.addEventListener('abort', listener);
  other.patience.removeEventListener('abort', listener);
  other.response.emit('close');
  expect(listener).not.toHaveBeenCalled();
});
