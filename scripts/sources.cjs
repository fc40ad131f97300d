// Preloaded (`node --conditions=source --require ./scripts/sources.cjs FILE.ts`), it lets Node run TypeScript as it stands: for the
// repository's own tools (players, benchmarks, torture), which are never built.
const { transformSync } = require('@swc/core');
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { swcOptions, withDirectGetters } = require('./swc-options.cjs');

process.setSourceMapsEnabled(true);

require.extensions['.ts'] = (module, path) => {
  const { code } = transformSync(readFileSync(path, 'utf8'), { ...swcOptions(path), sourceMaps: 'inline' });
  module._compile(withDirectGetters(code), path);
};

// Tried in the order in which they were added: `./columns` is columns.ts and not the columns.json beside it, as it is to the other compilers.
for (const other of ['.json', '.node']) {
  const load = require.extensions[other];
  delete require.extensions[other];
  require.extensions[other] = load;
}

/** `import('./up.js')` names the file as it is called once it is built. */
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  try {
    return resolve.call(this, request, ...rest);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(request)) throw error;
    return resolve.call(this, request.replace(/\.js$/, '.ts'), ...rest);
  }
};
