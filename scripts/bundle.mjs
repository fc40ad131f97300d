// Each app as one file, for the processes of `up --split`, and the command line with all of them: modules are still loaded one by one and only when they are asked for, but
// none has to be found and read. Then each is loaded once, the command line starts a cluster, and the code that V8 made of it is kept beside the file.
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const apps = ['apiserver', 'priority-admission', 'scheduler', 'kubelet', 'pdb-controller', 'controller-manager'];
const indexOf = (app) => `./dist/apps/${app}/src/index.js`;

/** What each process runs, what is loaded (without starting it) to see its code, and what runs some of that. */
const programs = {
  ...Object.fromEntries(
    apps.map((app) => [app, { main: `./dist/apps/${app}/src/main.js`, loads: [indexOf(app), '@eventstore/db-client'] }]),
  ),
  kubereel: {
    main: './dist/apps/cli/src/run.js',
    loads: ['./dist/apps/cli/src/run.js', './dist/apps/cli/src/up/up.js', ...apps.map(indexOf)],
    rehearsal: './dist/apps/cli/src/up/rehearsal.js',
  },
  'event-store': { main: './dist/apps/cli/src/event-store/store-process.js', loads: ['./dist/apps/event-store/src/server.js'] },
};

/** Found at run time where they are: a native module, one that reads files beside it, and what Nest asks for in vain. */
const external = [
  '@photostructure/sqlite',
  '@grpc/proto-loader',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/platform-express',
  'class-transformer',
  'class-transformer/*',
];

function entryText({ main, loads, rehearsal }) {
  const load = loads.map((path) => `require(${JSON.stringify(path)});`).join(' ');
  const rehearse = rehearsal === undefined ? '' : `await require(${JSON.stringify(rehearsal)}).rehearse();`;
  return `exports.start = () => require(${JSON.stringify(main)}).run?.();\nexports.rehearse = async () => {${load} ${rehearse}};`;
}

/** The entries exist in memory alone. */
const entries = {
  name: 'entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice('entry:'.length), namespace: 'entry' }));
    onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({ contents: entryText(programs[path]), resolveDir: root }));
  },
};

/** Our own files find what lies beside them by `__dirname`, which in the bundle is another. */
function ownFolders(out) {
  return {
    name: 'own-folders',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (!path.startsWith(join(out, 'apps')) && !path.startsWith(join(out, 'libs'))) return undefined;
        const text = await readFile(path, 'utf8');
        if (!/\b__(dir|file)name\b/.test(text)) return undefined;
        const from = (to) => `require("node:path").join(__dirname, ${JSON.stringify(relative(join(out, 'bundle'), to))})`;
        return { contents: text.replace(/\b__filename\b/g, from(path)).replace(/\b__dirname\b/g, from(dirname(path))) };
      });
    },
  };
}

/** Each logger of Nest makes a form of dates when it is loaded, which takes 10 ms; most processes log no line. */
const lateDates = {
  name: 'late-dates',
  setup({ onLoad }) {
    onLoad({ filter: /logger\.service\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const made = /const dateTimeFormatter = (new Intl\.DateTimeFormat\([^;]*\));/;
      return { contents: text.replace(made, 'const dateTimeFormatter = { format: (date) => $1.format(date) };') };
    });
  },
};

async function compile(out, name) {
  const require = createRequire(import.meta.url);
  const cli = join(out, 'apps', 'cli', 'src');
  const { appNodeOptions } = require(join(cli, 'up', 'node-options.js'));
  const started =
    name === 'kubereel'
      ? [join(cli, 'main.js'), '--compile-bundle']
      : [...appNodeOptions, join(cli, 'up', 'start-app.js'), name, '--compile'];
  await promisify(execFile)(process.execPath, started);
}

/** Makes what is not there. */
export async function bundleApps(out) {
  const names = Object.keys(programs);
  const codes = await Promise.all(names.map((name) => stat(join(out, 'bundle', `${name}.js.code`)).catch(() => undefined)));
  if (codes.every(Boolean)) return;
  await rm(join(out, 'bundle'), { recursive: true, force: true });
  await build({
    entryPoints: names.map((name) => ({ in: `entry:${name}`, out: name })),
    outdir: join(out, 'bundle'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // A function that is given what a module is given: the file is compiled as it is.
    banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
    footer: { js: '})' },
    // All characters are ASCII, and lines short: V8 keeps the text in memory, and an error that nobody caught shows its line.
    charset: 'ascii',
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    logLevel: 'error',
    external,
    plugins: [entries, ownFolders(out), lateDates],
  });
  await Promise.all(names.map((name) => onlyAscii(join(out, 'bundle', `${name}.js`))));
  await Promise.all(names.map((name) => compile(out, name)));
}

/** Of regular expressions esbuild leaves the characters as they are; read as Latin-1, as the bundle is, they would be others. */
async function onlyAscii(file) {
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replace(/[^\x00-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
