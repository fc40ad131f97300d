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
