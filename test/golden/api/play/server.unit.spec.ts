import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { KubectlShell } from './kubectl';
import { startServer } from './server';

const dir = mkdtempSync(join(tmpdir(), 'kubereel-player-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function script(name: string, text: string): string {
  const file = join(dir, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

const cli = script(
  'cli.js',
  `const { writeFileSync } = require('node:fs');
   const args = process.argv.slice(2);
   const after = (flag) => args[args.indexOf(flag) + 1];
   const ca = Buffer.from('CA').toString('base64');
   const clusters = [{ name: 'k', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': ca } }];
   writeFileSync(after('--kubeconfig'), JSON.stringify({ clusters, users: [{ name: 'k', user: { token: 'TOKEN' } }], args }));
   writeFileSync(after('--ready-file'), JSON.stringify({ url: 'https://127.0.0.1:2', kubeconfig: after('--kubeconfig'), pid: process.pid }));
   setInterval(() => {}, 1000);`,
);

describe('a server of ours', () => {
  it('is started with the apps of the session, found by its ready file, and ended', async () => {
    const server = await startServer('apiserver+scheduler', cli);
    expect(server.target).toEqual({ url: 'https://127.0.0.1:2', token: 'TOKEN', ca: 'CA' });
    const { args } = JSON.parse(readFileSync(server.kubeconfig ?? '', 'utf8')) as { args: string[] };
    expect(args.slice(0, 6).join(' ')).toBe(
      'up --ephemeral --nodes 0 --apps apiserver,priority-admission,pdb-controller/eviction,scheduler',
    );
    expect(args.slice(-2)).toEqual(['--port', '0']);
    await server.stop();
    expect(existsSync(server.kubeconfig ?? '')).toBe(false);
  });

  it('is started again on its data at its port, with history compacted', async () => {
    const server = await startServer('apiserver', cli, { keeps: true });
    await server.restart?.('17');
    const { args } = JSON.parse(readFileSync(server.kubeconfig ?? '', 'utf8')) as { args: string[] };
    expect(args).not.toContain('--ephemeral');
    expect(args.slice(-4)).toEqual(['--port', '2', '--compact-after', '@17']);
    await server.stop();
  });

  it('that ends at once is told with its last words', async () => {
    const failing = script('failing.js', `process.stderr.write('no port\\n'); process.exit(3);`);
    await expect(startServer('apiserver', failing)).rejects.toThrow(
      /the server ended \(3\) before it was ready; its last output:\nno port/,
    );
  });
});

describe('a shell with kubectl', () => {
  it('runs commands beside their files, with a kubeconfig and a home of its own', async () => {
    const kubectl = script('fake-kubectl', `#!/bin/sh\necho "$1 $(cat dep.yaml) $(cat) $HOME"\ncat "$KUBECONFIG" >&2\nexit 4\n`);
    const server = { target: { url: 'https://127.0.0.1:9', token: 'T' }, stop: () => Promise.resolve(undefined) };
    const shell = new KubectlShell(kubectl, server);
    const ran = await shell.run(`kubectl 'a b'`, { 'dep.yaml': 'FILE' }, 'STDIN');
    expect(ran.exit).toBe(4);
    expect(ran.stdout).toMatch(/^a b FILE STDIN \/.*\/home\n$/);
    expect(ran.stderr).toContain('server: https://127.0.0.1:9');
    expect((await shell.run('cat dep.yaml')).stdout).toBe('FILE');
    // Nobody is there to leave an editor.
    expect((await shell.run('echo $EDITOR')).stdout).toBe('true\n');
    shell.close();
    const named = new KubectlShell(kubectl, server, { names: { cluster: 'oracle', user: 'u' }, editor: 'sh ./ed.sh', worksAtHome: true });
    const seen = await named.run('cat $KUBECONFIG; echo $EDITOR; test "$HOME" = "$PWD"');
    expect(seen.exit).toBe(0);
    expect(seen.stdout).toMatch(/current-context: oracle\nsh \.\/ed\.sh\n$/);
    named.close();
  });
});
