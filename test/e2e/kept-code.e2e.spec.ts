import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const file = join(__dirname, '..', '..', 'dist', 'bundle', 'kubereel.js');
/** Says whether V8 takes the code that is kept of a file, in a process under the flags of the command line. */
const asking = `
  const { readFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  require('node:v8').setFlagsFromString('--semi-space-growth-factor=4');
  const [file] = process.argv.slice(1);
  const cachedData = readFileSync(file + '.code');
  console.log(new Script(readFileSync(file, 'latin1'), { filename: file, cachedData }).cachedDataRejected);
`;

describe('the code that a build keeps of the command line', () => {
  it('is taken by V8', () => {
    expect(execFileSync(process.execPath, ['-e', asking, file], { encoding: 'utf8' }).trim()).toBe('false');
  });

  it('has the functions that run at the start of a cluster', () => {
    const code = readFileSync(`${file}.code`, 'latin1');
    // A text stands in the code of the function that uses it, which is made when that runs.
    expect(code).toContain('the data stays');
    // Of verify, which is loaded when it is called.
    expect(code).not.toContain(' events/s, ');
  });
});
