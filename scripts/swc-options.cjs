// How TypeScript becomes what Node runs, for what is built and for what is run as it stands.

/** @returns options of SWC's `transform` for a file */
exports.swcOptions = (path) => ({
  filename: path,
  sourceFileName: path,
  swcrc: false,
  // `yaml` is loaded when the first document is read or written: most processes never do, and it costs each start 10 ms.
  module: { type: 'commonjs', importInterop: 'node', lazy: ['yaml'] },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
});

/**
 * `export * from` hands names on by getters that look the name up each time, one behind another from index to index, which V8 cannot see through:
 * each use of an imported name would pay for that. Handed on is the getter itself of the module that has the name. Lines stay where source maps say.
 */
exports.withDirectGetters = (code) => {
  const looksUp = /get: function\(\) \{\s*return from\[k\];\s*\}/;
  return code.replace(looksUp, (lines) => {
    const getter = 'get: Object.getOwnPropertyDescriptor(from, k).get ?? function() { return from[k]; }';
    return getter + '\n'.repeat(lines.split('\n').length - 1);
  });
};
