import { describe, expect, it } from 'vitest';
import { optionsOf } from './command-line';

describe('the command line of the event store', () => {
  it('has defaults', () => {
    expect(optionsOf([])).toEqual({ port: 2113, host: undefined, folder: './.kubereel/log', durability: 'default' });
    expect(optionsOf(['--ephemeral', '--port', '0'])).toMatchObject({ port: 0, folder: undefined });
    expect(optionsOf(['--data', 'x', '--durability', 'full', '--host', '::1'])).toMatchObject({
      folder: 'x',
      durability: 'full',
      host: '::1',
    });
    expect(optionsOf(['-h'])).toBe('help');
  });

  it('says what is wrong', () => {
    for (const port of ['x', '', '-1', '65536', '1.5', '1e3']) expect(() => optionsOf([`--port=${port}`])).toThrow(/--port/);
    expect(() => optionsOf(['--durability', 'some'])).toThrow(/--durability some/);
    expect(() => optionsOf(['--ephemeral', '--data', 'x'])).toThrow(/exclude/);
    expect(() => optionsOf(['--unknown'])).toThrow(/unknown/);
  });
});
