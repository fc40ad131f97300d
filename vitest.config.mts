import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

// Modules hold no state, so one worker context can serve many files; that halves the run.
export default defineConfig({
  plugins: [
    swc.vite({
      module: { type: 'es6' },
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        keepClassNames: true,
      },
    }),
  ],
  resolve: { conditions: ['source', 'node'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  oxc: false,
  test: {
    include: ['{apps,libs,test,bench}/**/*.{unit,int,e2e}.spec.ts'],
    reporters: ['default', './scripts/closing-line-reporter.mjs'],
    globalSetup: ['./scripts/recordings-setup.mjs'],
    pool: 'threads',
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
