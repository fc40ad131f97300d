// The recordings of Kubernetes v1.34.4 and EventStoreDB 23.10 that come with the repository, packed: one file a kind in
// test/golden/packed, brotli over the JSON object {path: text}. Where $KUBEREEL_GOLDEN or ../shared/golden is, the tests read that instead.
//
//   node scripts/recordings.mjs              unpacks where needed and prints the folder that the tests read
//   node scripts/recordings.mjs pack         packs ../shared/golden anew
//   node scripts/recordings.mjs check        says whether the packed files are those of ../shared/golden, and their size
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const packed = join(root, 'test', 'golden', 'packed');
const beside = join(root, '..', 'shared', 'golden');
/** All packed files together stay below this many bytes. */
const bytesMax = 8_000_000;

/** The folder with one folder a kind of recordings: $KUBEREEL_GOLDEN, ../shared/golden, or the packed ones, unpacked once a version. */
export function recordingsFolder() {
  const given = process.env.KUBEREEL_GOLDEN;
  if (given) return given;
  return existsSync(beside) ? beside : unpacked();
}

/** The folder that the packed recordings have been unpacked into. */
export function unpacked() {
  const archives = readdirSync(packed)
    .filter((name) => name.endsWith('.json.br'))
    .sort()
    .map((name) => ({ kind: name.slice(0, -'.json.br'.length), bytes: readFileSync(join(packed, name)) }));
  const digest = createHash('sha256');
  for (const { bytes } of archives) digest.update(bytes);
  const folder = join(tmpdir(), `kubereel-recordings-${userInfo().uid}-${digest.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  // Written beside and renamed: another run that unpacks at the same time never sees half of it.
  const making = mkdtempSync(`${folder}.`);
  for (const { kind, bytes } of archives) {
    const files = JSON.parse(brotliDecompressSync(bytes).toString('utf8'));
    for (const [path, text] of Object.entries(files)) {
      const file = join(making, kind, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** `{path: text}` of one kind, in order of path. Texts that describe the recordings are not recordings. */
function filesOf(folder) {
  const files = {};
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  for (const path of paths) files[path] = readFileSync(join(folder, path), 'utf8');
  return files;
}

function kindsBeside() {
  if (!existsSync(beside)) fail(`no recordings in ${beside}`);
  return readdirSync(beside, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

function pack() {
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed, { recursive: true });
  for (const kind of kindsBeside()) {
    const text = Buffer.from(JSON.stringify(filesOf(join(beside, kind))));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 10,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    };
    const bytes = brotliCompressSync(text, { params });
    writeFileSync(join(packed, `${kind}.json.br`), bytes);
    console.log(`${kind}: ${text.length} bytes, packed ${bytes.length}`);
  }
  checkSize();
}

function check() {
  for (const kind of kindsBeside()) {
    const file = join(packed, `${kind}.json.br`);
    if (!existsSync(file)) fail(`${kind} is not packed: run "npm run update:recordings"`);
    if (brotliDecompressSync(readFileSync(file)).toString('utf8') !== JSON.stringify(filesOf(join(beside, kind))))
      fail(`${kind} has changed since it was packed: run "npm run update:recordings"`);
  }
  checkSize();
}

function checkSize() {
  const bytes = readdirSync(packed).reduce((sum, name) => sum + statSync(join(packed, name)).size, 0);
  if (bytes > bytesMax) fail(`the packed recordings have ${bytes} bytes, more than ${bytesMax}`);
  console.log(`${bytes} bytes in all (at most ${bytesMax})`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const [command = 'folder'] = process.argv.slice(2);
  if (command === 'pack') pack();
  else if (command === 'check') check();
  else if (command === 'folder') console.log(recordingsFolder());
  else fail(`unknown command "${command}": pack, check, or nothing`);
}
